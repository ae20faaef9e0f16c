import { describe, expect, it } from "vitest";
import type { Attack, Plants } from "../attack.js";
import { authorization } from "../authorization/authorization.js";
import { claimRace } from "../claim-race/claim-race.js";
import { faultyStore } from "../faulty-store/faulty-store.js";
import { firmware } from "../firmware/firmware.js";
import { forgery } from "../forgery/forgery.js";
import { fuzz } from "../fuzz/fuzz.js";
import { guessing } from "../guessing/guessing.js";
import { reRegistration } from "../re-registration/re-registration.js";
import { revocation } from "../revocation/revocation.js";
import { secretLeaks } from "../secret-leaks/secret-leaks.js";
import { storeModel } from "../store-model/store-model.js";
import { timing } from "../timing/timing.js";
import {
  batchLostOnBadRecord,
  rollUpShortOfOne,
  secretInLog,
  undeclaredStatus,
} from "./fault-plants.js";
import {
  anyHardware,
  deafCache,
  hardwareIdAsProof,
  leaking404,
  noEpochCheck,
  noVersionFloor,
  offersTakenBack,
  oneQueueForAll,
  racyClaim,
  skippedDummyHash,
  unreservedBudget,
  unverifiedSignature,
} from "./plants.js";

interface Planted {
  readonly bug: string;
  readonly plants: Plants;
  readonly attack: Attack;
  /** The expected violation, or one for each bug if `plants` has several. */
  readonly shows: RegExp | readonly RegExp[];
  readonly rounds?: number;
  readonly only?: RegExp;
}

/** All bugs of a device at once. */
const trustEverything: Plants["assess"] = (assess) =>
  [unverifiedSignature, noVersionFloor, anyHardware].reduce(
    (all, { assess: plant }) => plant?.(all) ?? all,
    assess,
  );

const planted: readonly Planted[] = [
  { bug: "a racy claim", plants: racyClaim, attack: claimRace, shows: /\d+ winners/, rounds: 1 },
  {
    bug: "a missing epoch check",
    plants: noEpochCheck,
    attack: forgery,
    shows: /token gets 200 at gateway/,
  },
  {
    bug: "a 404 that reveals whether the device exists",
    plants: leaking404,
    attack: authorization,
    shows: /readDevice by stranger: the response differs from that for an unknown device/,
    only: /^readDevice by stranger$/,
  },
  {
    bug: "a skipped dummy hash",
    plants: skippedDummyHash,
    attack: timing,
    shows: /claim, unknown device: 0 slow hashes, expected 1/,
    rounds: 1,
  },
  {
    bug: "one queue of slow hashes for all clients",
    plants: oneQueueForAll,
    attack: guessing,
    shows: /4 addresses register: an owner's correct claim gets 503/,
    rounds: 1,
  },
  {
    bug: "a budget that is checked but not reserved",
    plants: unreservedBudget,
    attack: guessing,
    shows: /claim: \d+ wrong guesses \(pair\), 5 allowed/,
    rounds: 40,
  },
  {
    bug: "a registration that accepts a hardware id as proof",
    plants: hardwareIdAsProof,
    attack: reRegistration,
    shows: /changed without proof/,
    rounds: 250,
  },
  {
    bug: "a cache that ignores changes of other processes",
    plants: deafCache,
    attack: revocation,
    shows: /revoked: accepted at gateway/,
    rounds: 1,
  },
  {
    bug: "a device that verifies no signature, version or hardware, and a server that offers withdrawn releases",
    plants: { ...offersTakenBack, assess: trustEverything },
    attack: firmware,
    shows: [
      /wrong signature: installed/,
      /rollback: installed/,
      /wrong hardware: installed/,
      /freeze: .* was offered/,
    ],
    rounds: 1,
  },
  {
    bug: "a batch that is lost because of one invalid record",
    plants: batchLostOnBadRecord,
    attack: faultyStore,
    shows: /of two records 0 are accepted/,
  },
  {
    bug: "a roll-up that misses one sample",
    plants: rollUpShortOfOne,
    attack: storeModel,
    shows: /(buckets of|telemetry\.aggregate).*count: is \d+, expected \d+/,
    rounds: 2_000,
  },
  {
    bug: "an undeclared status",
    plants: undeclaredStatus,
    attack: fuzz,
    shows: /releaseDevice .*with status 410/,
    rounds: 200,
  },
  {
    bug: "a token in the log",
    plants: secretInLog,
    attack: secretLeaks,
    shows: /a bearer token is in the log/,
  },
];

describe("the attacks find a planted bug", () => {
  for (const { bug, plants, attack, shows, rounds, only } of planted) {
    const shown = [shows].flat();
    it(bug, async () => {
      const report = await attack({
        seed: 7,
        store: "memory",
        plants,
        until: shown,
        ...(rounds !== undefined && { rounds }),
        ...(only !== undefined && { only }),
      });
      for (const pattern of shown) {
        const found = report.violations.filter(({ what }) => pattern.test(what));
        expect(found.length, String(pattern)).toBeGreaterThan(0);
        expect(found[0]?.replay).toMatch(/--store memory --seed 7/);
      }
    });
  }
});
