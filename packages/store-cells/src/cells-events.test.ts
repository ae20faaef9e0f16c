import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { createCellsStore } from "./create-cells-store.js";

test("§8 a reader that imports at the same time as another process misses no event from before its call", async () => {
  const [home, cell] = [createMemoryStore(), createMemoryStore()];
  const store = createCellsStore({ home, cells: [cell] });
  const other = createCellsStore({ home, cells: [cell] });
  const readLog = async (reader: typeof store) =>
    (await reader.securityEvents.list({ after: 0, limit: 9, complete: true })).map(
      ({ deviceId }) => deviceId,
    );
  for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(store, deviceId);
  // The reader has seen both events when another process has imported only the first one.
  const { importEvents } = home.cell;
  const importFirst = async (input: Parameters<typeof importEvents>[0]) => {
    const [event] = input.events;
    if (event === undefined) throw new Error("There is no event.");
    await importEvents({ ...input, next: event.id, events: [event] });
    return importEvents(input);
  };
  vi.spyOn(home.cell, "importEvents").mockImplementationOnce(importFirst);
  expect(await readLog(store)).toEqual(["gw-1", "gw-2"]);
  expect(await readLog(other)).toEqual(["gw-1", "gw-2"]);
});
