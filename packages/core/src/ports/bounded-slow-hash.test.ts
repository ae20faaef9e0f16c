import { expect, test } from "vitest";
import { boundSlowHash } from "./bounded-slow-hash.js";
import { SlowHashBusyError } from "./slow-hash.js";

const cost = { logN: 1, r: 1, p: 1 };

test("§9 who waited too long is turned away, and those who still wait for an answer are served", async () => {
  let now = 0;
  const computed: number[] = [];
  const hash = boundSlowHash(
    {
      // Each takes four seconds.
      async derive([n = 0]) {
        now += 4_000;
        computed.push(n);
        return new Uint8Array(32);
      },
    },
    { inFlight: 1, queued: 9 },
    () => now,
  );
  const asked = (n: number) => hash.derive(new Uint8Array([n]), new Uint8Array(0), cost);
  const first = [1, 2, 3, 4].map(asked);
  await expect(first[2], "8 seconds of waiting").rejects.toBeInstanceOf(SlowHashBusyError);
  await expect(first[3]).rejects.toBeInstanceOf(SlowHashBusyError);
  await asked(5);
  expect(computed).toEqual([1, 2, 5]);
});
