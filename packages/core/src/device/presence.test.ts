import { expect, test } from "vitest";
import { silentLogger } from "../ports/logger.js";
import { createPresence } from "./presence.js";

test("a device is seen to the minute, and a write that fails is made up for", async () => {
  const written: number[] = [];
  let down = false;
  const presence = createPresence(
    {
      recordSeen: async ({ now }) => {
        if (down) throw new Error("down");
        written.push(now);
      },
    },
    silentLogger,
  );
  for (let now = 0; now < 180_000; now += 1_000) await presence.see("a", now, null);
  expect(written).toEqual([0, 60_000, 120_000]);
  down = true;
  await presence.see("a", 180_000, null);
  down = false;
  await presence.see("a", 180_001, null);
  presence.noteWritten("a", 240_000);
  await presence.see("a", 250_000, null);
  expect(written.slice(3)).toEqual([180_001]);
});
