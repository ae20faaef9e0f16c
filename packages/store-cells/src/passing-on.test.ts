import { openPostgresStores } from "@device-gateway/store-postgres";
import { expect, inject, onTestFinished, test } from "vitest";
import { openAlertWorld } from "../../alerts/src/testing/alert-world.js";
import { openSharedDatabase } from "../../store-postgres/src/testing/shared-database.js";
import { startTelemetrySink } from "../../telemetry-sink/src/telemetry-sink.js";
import { startFakeReceiver } from "../../telemetry-sink/src/testing/fake-receiver.js";
import { createWebhookWorld } from "../../webhooks/src/testing/webhook-world.js";
import { cellOf } from "./cell-of.js";
import { createCellsStore } from "./create-cells-store.js";

const schemas = ["home", "cell_0", "cell_1"];
const devices = ["gw-0", "gw-1", "gw-2", "gw-3"];

test("§8 over cells on Postgres, alerts judge devices of all cells, and webhooks and the telemetry sink get everything once", async () => {
  const { url, remove } = await openSharedDatabase(inject("postgresUrl"), ...schemas);
  onTestFinished(() => remove());
  const stores = await openPostgresStores({ url, schemas, poolSize: 5 });
  onTestFinished(async () => void (await Promise.all(stores.map((each) => each.close()))));
  const [home, ...cells] = stores;
  if (home === undefined) throw new Error("There is no home.");
  expect(new Set(devices.map((id) => cellOf(id, cells.length))).size).toBe(2);
  const store = createCellsStore({ home, cells });

  const { alerts, register, addRule, send, pass, delivered } = openAlertWorld({}, store);
  const { add, sender, receiver } = await createWebhookWorld({}, store);
  await add({ kinds: ["alert.firing", "alert.cleared"] });
  const condition = { kind: "below", metric: "soc", threshold: 20, clearAt: 25 } as const;
  await addRule("low", { ownerId: null, condition: { ...condition, holdSeconds: 0 } });
  for (const id of devices) await register(id);
  await alerts.runOnce();
  for (const soc of [10, 30]) {
    for (const id of devices) await send(id, { soc });
    await pass(60_000);
  }
  await sender.runRounds();
  for (const id of devices) {
    const messages = receiver.received.filter(({ deviceId }) => deviceId === id);
    expect(messages.map(({ type }) => type)).toEqual(["alert.firing", "alert.cleared"]);
  }
  expect(delivered().sort()).toEqual(
    [...devices.map((id) => `cleared ${id}`), ...devices.map((id) => `firing ${id}`)].sort(),
  );

  const database = await startFakeReceiver();
  onTestFinished(() => database.close());
  const start = () => startTelemetrySink(store, { url: database.url, pollMs: 5, settleMs: 20 });
  const first = start();
  await expect.poll(() => new Set(database.lines()).size).toBe(2 * devices.length);
  await first.stop();
  await send("gw-0", { soc: 40 });
  const second = start();
  // Not necessarily as the last line: the second process repeats what the first one sent after its last stored cursor.
  await expect.poll(() => database.lines().join()).toContain("soc=40");
  await second.stop();
});
