import { runStoreCase, type StoreCase, storeCases } from "@device-gateway/testing";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { type DatabaseLane, openDatabaseLane } from "../testing/database-lane.js";
import { forgetLocks, forgetLocksOf } from "../testing/forgotten-locks.js";

/**
 * What rests on locks alone, in each part of the store. Other races are decided by the condition of
 * one row's update, or by a unique index, which no statement can forget to ask.
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

/** A race may end well by luck, on a busy machine several times in a row. */
const runs = 12;

describe("the suite rejects a Postgres store that forgets its locks", () => {
  let lane: DatabaseLane;
  beforeAll(async () => {
    lane = await openDatabaseLane(inject("postgresUrl"));
    await forgetLocksOf(lane.url);
  });
  afterAll(() => lane.remove());

  const run = (storeCase: StoreCase) =>
    runStoreCase(storeCase, {
      open: async () => {
        await lane.empty();
        const open = () => openPostgresStore({ url: lane.url, poolSize: 5 });
        const handles = [await open(), await open()] as const;
        return {
          handles,
          dispose: async () => {
            for (const store of handles) await store.close();
          },
        };
      },
    });

  it.each(onLocks)("%s", async (name) => {
    const storeCase = storeCases.find((one) => one.name === name);
    if (storeCase === undefined) throw new Error("There is no such case.");
    forgetLocks();
    const outcomes: unknown[] = [];
    for (let n = 0; n < runs && outcomes.at(-1) === undefined; n++) {
      outcomes.push(await run(storeCase).catch((error: unknown) => error));
    }
    expect(outcomes.at(-1)).toMatchObject({ name: "AssertionError" });
  });
});
