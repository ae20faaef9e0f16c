import type { Attack } from "./attack.js";
import { s1 } from "./authorization/authorization.js";
import { r5 } from "./claim-race/claim-race.js";
import { c1 } from "./client-crash/client-crash.js";
import { r1 } from "./crash/crash.js";
import { r8 } from "./faulty-store/faulty-store.js";
import { s7 } from "./firmware/firmware.js";
import { s2 } from "./forgery/forgery.js";
import { r4 } from "./fuzz/fuzz.js";
import { s3 } from "./guessing/guessing.js";
import { neighbours } from "./neighbours/neighbours.js";
import { r6 } from "./outage/outage.js";
import { r2 } from "./power-cut/power-cut.js";
import { s5 } from "./re-registration/re-registration.js";
import { r7 } from "./restart/restart.js";
import { s6 } from "./revocation/revocation.js";
import { rollout } from "./rollout/rollout.js";
import { s8 } from "./secret-leaks/secret-leaks.js";
import { r3 } from "./store-model/store-model.js";
import { s4 } from "./timing/timing.js";
import { year } from "./year/year.js";

/** Every attack by the name of its bar, kills of a client, a rollout that fails, a year of telemetry. */
export const attacks: Readonly<Record<string, Attack>> = {
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  r7,
  r8,
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  neighbours,
  c1,
  rollout,
  year,
};
