import { expect, test } from "vitest";
import { type BufferStorage, createMemoryBuffer } from "./buffer-storage.js";
import { toEntry } from "./journal.js";
import { defaultLimits, openTelemetryBuffer } from "./telemetry-buffer.js";

test("if the journal cannot be rewritten, new keys do not fill the storage, and its record can still be sent", async () => {
  const storage: BufferStorage = {
    ...createMemoryBuffer(),
    replace: () => Promise.reject(new Error("only appends work")),
  };
  const open = () => openTelemetryBuffer(storage, defaultLimits);
  const giveUpKeys = async (count: number) => {
    const buffer = await open();
    for (let seal = 0; seal < count; seal++) {
      await buffer.seal(1, () => `key-${seal}`);
      buffer.putBack(true);
    }
  };
  await (await open()).add([toEntry(1, "{}")]);
  await giveUpKeys(1_000);
  await expect(giveUpKeys(9_000)).rejects.toThrow("only appends work");
  const { length } = await storage.load();
  expect(length).toBeLessThan(3_000);
  // The limit holds after a restart.
  await expect(giveUpKeys(2)).rejects.toThrow("only appends work");
  expect(await storage.load()).toHaveLength(length);

  const buffer = await open();
  const batch = await buffer.seal(1, () => "another key");
  if (batch !== null) await buffer.finish(batch);
  expect([batch?.entries.length, buffer.entries]).toEqual([1, []]);
  expect((await open()).entries).toEqual([]);
});
