import type { GatewayStore } from "@device-gateway/core/store";
import { sampleTime } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: GatewayStore;
let other: Client;
useStoreAndClient((opened) => {
  ({ store, other } = opened);
});

it("a page of the history passes over at most 1,000 events from before its time, however many there are", async () => {
  const write = (deviceId: string, count: number, createdAt: number) =>
    other.query(
      `INSERT INTO device_gateway.ota_events (device_id, created_at, source, state, from_version, last_result)
       SELECT $1, $2, 'device', 'failed', '1.1.0', n - 1 FROM generate_series(1, $3) AS n`,
      [deviceId, createdAt, count],
    );
  /** Lists the events of a new owner. The clock was set back after the first two. */
  const listAfter = async (earlier: number) => {
    const deviceId = `gw-${earlier}`;
    await write(deviceId, 2, sampleTime);
    await write(deviceId, earlier, sampleTime - 1);
    await write(deviceId, 3, sampleTime);
    const page = { deviceId, from: sampleTime, before: Number.MAX_SAFE_INTEGER, limit: 5 };
    const events = await store.otaEvents.list(page);
    return events.map(({ lastResult }) => lastResult);
  };
  expect(await listAfter(0)).toEqual(["2", "1", "0", "1", "0"]);
  expect(await listAfter(1_000)).toEqual(["2", "1", "0", "1", "0"]);
  expect(await listAfter(5_000)).toEqual(["2", "1", "0"]);
});
