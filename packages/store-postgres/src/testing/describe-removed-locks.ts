import { runStoreCase, type StoreCase, storeCases } from "@device-gateway/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { removeLocks, removeLocksOfFunctions } from "./removed-locks.js";
import type { SharedDatabase } from "./shared-database.js";

/**
 * The cases that depend on locks alone. Other races are decided by the condition of an UPDATE or by
 * a unique index.
 */
const onLocks = [
  "claim: exactly one of many racers wins, and writes its event",
  "revoke: many racers get the same time and write one event",
  "reinstate: many racers raise the epochs once and write one event",
  "dropUnused: many racers drop each device once",
  "replaceOverrides: exactly one of many racers wins a revision",
  "append once: exactly one of many bodies gets the key",
  "append: stores a record once that many racers send",
  "updates: exactly one of many concurrent failures halts the release",
  "update now: concurrent requests get the same command",
  "releases: exactly one of many racers changes a revision",
  "reserve: exactly as many racers as the limit are reserved",
];

/** A race may have the right outcome by chance, or the store may be unavailable, on a busy machine many times in a row. */
const runs = 200;

/** Declares that the cases notice a store without locks. Replaces the functions of the database. */
export function describeRemovedLocks(
  openDatabase: () => Promise<SharedDatabase>,
  cases: readonly string[] = onLocks,
): void {
  describe("the conformance suite rejects a Postgres store without locks", () => {
    let database: SharedDatabase;
    beforeAll(async () => {
      database = await openDatabase();
      await removeLocksOfFunctions(database.url);
    });
    afterAll(() => database.remove());

    const run = (storeCase: StoreCase) =>
      runStoreCase(storeCase, {
        open: async () => {
          await database.empty();
          const open = () => openPostgresStore({ url: database.url, poolSize: 5 });
          const handles = [await open(), await open()] as const;
          return {
            handles,
            dispose: async () => {
              for (const store of handles) await store.close();
            },
          };
        },
      });

    it.each(cases)("%s", async (name) => {
      const storeCase = storeCases.find((one) => one.name === name);
      if (storeCase === undefined) throw new Error("There is no such case.");
      removeLocks();
      let violation: unknown;
      const isFound = () => violation instanceof Error && violation.name === "AssertionError";
      for (let n = 0; n < runs && !isFound(); n++) {
        violation = await run(storeCase).catch((error: unknown) => error);
      }
      expect(violation).toMatchObject({ name: "AssertionError" });
    });
  });
}
