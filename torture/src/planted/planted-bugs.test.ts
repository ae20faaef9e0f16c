import { describe, expect, it } from "vitest";
import type { Attack, Plants } from "../attack.js";
import { s1 } from "../authorization/authorization.js";
import { r5 } from "../claim-race/claim-race.js";
import { r8 } from "../faulty-store/faulty-store.js";
import { s7 } from "../firmware/firmware.js";
import { s2 } from "../forgery/forgery.js";
import { r4 } from "../fuzz/fuzz.js";
import { s3 } from "../guessing/guessing.js";
import { s5 } from "../re-registration/re-registration.js";
import { s6 } from "../revocation/revocation.js";
import { s8 } from "../secret-leaks/secret-leaks.js";
import { r3 } from "../store-model/store-model.js";
import { s4 } from "../timing/timing.js";
import {
  batchLostOnBadRecord,
  rollUpShortOfOne,
  secretInLog,
  undeclaredStatus,
} from "./fault-plants.js";
import {
  anyHardware,
  deafCache,
  gullibleRotate,
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
  readonly shows: RegExp;
  readonly rounds?: number;
}

const planted: readonly Planted[] = [
  { bug: "a racy claim", plants: racyClaim, attack: r5, shows: /\d+ winners/, rounds: 1 },
  {
    bug: "a missing epoch check",
    plants: noEpochCheck,
    attack: s2,
    shows: /token gets 200 at gateway/,
  },
  {
    bug: "a 404 that leaks",
    plants: leaking404,
    attack: s1,
    shows: /readDevice by stranger: is told from a device that isn't there/,
  },
  {
    bug: "a dummy hash that is skipped",
    plants: skippedDummyHash,
    attack: s4,
    shows: /claim, unknown device: 0 slow hashes, must be 1/,
    rounds: 1,
  },
  {
    bug: "one queue of slow hashes for all",
    plants: oneQueueForAll,
    attack: s3,
    shows: /4 addresses register: an owner's right claim gets 503/,
  },
  {
    bug: "a budget that is checked without being reserved",
    plants: unreservedBudget,
    attack: s3,
    shows: /claim: \d+ wrong guesses \(pair\), 5 allowed/,
  },
  {
    bug: "a registration that believes a hardware id",
    plants: gullibleRotate,
    attack: s5,
    shows: /changed without proof/,
    rounds: 250,
  },
  {
    bug: "a cache that does not hear of others' changes",
    plants: deafCache,
    attack: s6,
    shows: /revoked: let in at gateway/,
    rounds: 1,
  },
  {
    bug: "a device that does not verify signatures",
    plants: unverifiedSignature,
    attack: s7,
    shows: /wrong signature: installed/,
    rounds: 1,
  },
  {
    bug: "a device without a version floor",
    plants: noVersionFloor,
    attack: s7,
    shows: /rollback: installed/,
    rounds: 1,
  },
  {
    bug: "a device that takes any hardware's image",
    plants: anyHardware,
    attack: s7,
    shows: /wrong hardware: installed/,
    rounds: 1,
  },
  {
    bug: "a server that offers what was taken back",
    plants: offersTakenBack,
    attack: s7,
    shows: /freeze: .* was offered/,
    rounds: 1,
  },
  {
    bug: "a batch that is lost on one bad record",
    plants: batchLostOnBadRecord,
    attack: r8,
    shows: /of two records 0 are accepted/,
  },
  {
    bug: "a roll-up that is short of one sample",
    plants: rollUpShortOfOne,
    attack: r3,
    shows: /(buckets of|telemetry\.aggregate).*count: is \d+, should be \d+/,
    rounds: 300,
  },
  {
    bug: "a status that the route does not declare",
    plants: undeclaredStatus,
    attack: r4,
    shows: /releaseDevice .*by status 410/,
  },
  {
    bug: "a token in the log",
    plants: secretInLog,
    attack: s8,
    shows: /a bearer token stands in the log/,
  },
];

describe("the attacks find what is planted", () => {
  for (const { bug, plants, attack, shows, rounds } of planted) {
    it(bug, { timeout: 60_000 }, async () => {
      const report = await attack({
        seed: 7,
        store: "memory",
        plants,
        ...(rounds !== undefined && { rounds }),
      });
      const found = report.violations.filter(({ what }) => shows.test(what));
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]?.replay).toMatch(/--store memory --seed 7/);
    });
  }
});
