import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { minuteMs, openAlertWorld } from "../testing/alert-world.js";
import { countByOwner, sumOf, withoutMostSilent } from "./owners-census.js";

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = await openSqliteStore({ file: join(folder, "gateway.db") });
  onTestFinished(() => store.close());
  return store;
}

test("a census has every device that a rule about silence waits for, on all pages and whenever it is due", async () => {
  const world = openAlertWorld({}, await openStore());
  const { store, clock, alerts, addRule, register, send } = world;
  for (let n = 0; n < 250; n++) await register(`gw-${n}`, n < 210 ? "alice" : "bob");
  await register("unclaimed", null);
  await register("unwatched", "carol");
  for (const ownerId of ["alice", "bob"]) await addRule(`of-${ownerId}`, { ownerId });
  await alerts.runOnce();
  clock.advance(4 * minuteMs);
  for (let n = 0; n < 205; n++) await send(`gw-${n}`, { soc: 50 });
  await alerts.runOnce();
  clock.advance(minuteMs);
  const counts = await countByOwner(store.alerts, clock.now(), undefined);
  expect(counts).toEqual(
    new Map([
      ["alice", { watched: 210, overdue: 5 }],
      ["bob", { watched: 40, overdue: 40 }],
    ]),
  );
  await addRule("of-operators", { ownerId: null });
  await alerts.runOnce();
  const all = (await countByOwner(store.alerts, clock.now(), undefined)) ?? new Map();
  expect([...all.keys()].map(String).sort()).toEqual(["alice", "bob", "carol", "null"]);
  expect(sumOf(all)).toEqual({ watched: 252, overdue: 45 });
  expect([...withoutMostSilent(all).keys()].map(String).sort()).toEqual(["alice", "carol", "null"]);
  expect(await countByOwner(store.alerts, clock.now(), AbortSignal.abort())).toBeNull();
});
