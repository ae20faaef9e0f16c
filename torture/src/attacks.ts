import { accounts } from "./accounts/accounts.js";
import type { Attack } from "./attack.js";
import { authorization } from "./authorization/authorization.js";
import { cellMove } from "./cell-move/cell-move.js";
import { cells } from "./cells/cells.js";
import { citusMove } from "./citus-move/citus-move.js";
import { claimRace } from "./claim-race/claim-race.js";
import { clientCrash } from "./client-crash/client-crash.js";
import { crash } from "./crash/crash.js";
import { failover } from "./failover/failover.js";
import { faultyStore } from "./faulty-store/faulty-store.js";
import { firmware } from "./firmware/firmware.js";
import { forgery } from "./forgery/forgery.js";
import { fuzz } from "./fuzz/fuzz.js";
import { guessing } from "./guessing/guessing.js";
import { neighbours } from "./neighbours/neighbours.js";
import { outage } from "./outage/outage.js";
import { powerCut } from "./power-cut/power-cut.js";
import { reRegistration } from "./re-registration/re-registration.js";
import { restart } from "./restart/restart.js";
import { revocation } from "./revocation/revocation.js";
import { rollout } from "./rollout/rollout.js";
import { secretLeaks } from "./secret-leaks/secret-leaks.js";
import { storeModel } from "./store-model/store-model.js";
import { timing } from "./timing/timing.js";
import { webhooks } from "./webhooks/webhooks.js";
import { year } from "./year/year.js";

/** All attacks, by name. */
export const attacks: Readonly<Record<string, Attack>> = {
  accounts,
  authorization,
  "cell-move": cellMove,
  "citus-move": citusMove,
  cells,
  "claim-race": claimRace,
  "client-crash": clientCrash,
  crash,
  failover,
  "faulty-store": faultyStore,
  firmware,
  forgery,
  fuzz,
  guessing,
  neighbours,
  outage,
  "power-cut": powerCut,
  "re-registration": reRegistration,
  restart,
  revocation,
  rollout,
  "secret-leaks": secretLeaks,
  "store-model": storeModel,
  timing,
  webhooks,
  year,
};

/** Aliases that the command line also accepts. */
export const aliases: Readonly<Record<string, string>> = {
  r1: "crash",
  r2: "power-cut",
  r3: "store-model",
  r4: "fuzz",
  r5: "claim-race",
  r6: "outage",
  r7: "restart",
  r8: "faulty-store",
  r9: "failover",
  r10: "cells",
  r11: "webhooks",
  s1: "authorization",
  s2: "forgery",
  s3: "guessing",
  s4: "timing",
  s5: "re-registration",
  s6: "revocation",
  s7: "firmware",
  s8: "secret-leaks",
  c1: "client-crash",
  s11: "neighbours",
  s12: "accounts",
};
