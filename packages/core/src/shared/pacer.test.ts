import { expect, test } from "vitest";
import { createPacer } from "./pacer.js";

test("work lets other work run after five milliseconds, however many pieces it did", async () => {
  let now = 0;
  const pacer = createPacer({ now: () => now });
  const seen: string[] = [];
  for (const took of [1, 1, 2, 1, 9, 4, 1]) {
    now += took;
    seen.push(`${took}`);
    if (!pacer.isDue()) continue;
    setImmediate(() => {
      seen.push("|");
      // Waiting does not count.
      now += 100;
    });
    await pacer.turn();
  }
  expect(seen.join(" ")).toBe("1 1 2 1 | 9 | 4 1 |");
});
