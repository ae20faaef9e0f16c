import { sampleTime } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openConnection } from "../database/connection.js";
import { createOtaEventStore } from "./ota-event-store.js";
import { prepareOtaEventWriter } from "./ota-event-writer.js";

it("a page of the history passes over at most 1,000 events from before its time, however many there are", async () => {
  const connection = await openConnection(":memory:");
  const writeEvent = prepareOtaEventWriter(connection.database);
  const store = createOtaEventStore(connection);
  const write = (deviceId: string, count: number, createdAt: number) =>
    connection.write(() => {
      for (let n = 0; n < count; n++) {
        writeEvent({
          ...{ createdAt, deviceId, source: "device", state: "failed", progress: null },
          ...{ offeredVersion: null, fromVersion: "1.1.0", lastResult: `${n}`, message: null },
          ...{ lastCheckSucceeded: null, updateAvailable: null, updateApplied: null },
        });
      }
    });
  /** Lists the events of a new owner. The clock was set back after the first two. */
  const listAfter = async (earlier: number) => {
    const deviceId = `gw-${earlier}`;
    await write(deviceId, 2, sampleTime);
    await write(deviceId, earlier, sampleTime - 1);
    await write(deviceId, 3, sampleTime);
    const page = { deviceId, from: sampleTime, before: Number.MAX_SAFE_INTEGER, limit: 5 };
    const events = await store.list(page);
    return events.map(({ lastResult }) => lastResult);
  };
  expect(await listAfter(0)).toEqual(["2", "1", "0", "1", "0"]);
  expect(await listAfter(1_000)).toEqual(["2", "1", "0", "1", "0"]);
  expect(await listAfter(5_000)).toEqual(["2", "1", "0"]);
  await connection.close();
});
