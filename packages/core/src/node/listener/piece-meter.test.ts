import { expect, test } from "vitest";
import { createPieceMeter } from "./piece-meter.js";

/** Returns a function that works for some time, ends the piece, rests and begins the next one. */
function createWorker() {
  let now = 1_000;
  const meter = createPieceMeter(() => now);
  return (ms: number, piece?: "charged" | "uncharged") => {
    now += ms;
    const done = meter.end(piece);
    now += 50;
    meter.begin();
    return done;
  };
}

test("a charged piece pays for the uncharged pieces before it, but not for the rests between them", () => {
  const work = createWorker();
  expect(work(7)).toEqual({ restMs: 0, chargedMs: 0 });
  expect(work(3, "charged")).toEqual({ restMs: 9, chargedMs: 3 });
  expect(work(4, "uncharged")).toEqual({ restMs: 12, chargedMs: 0 });
  expect(work(5, "uncharged")).toEqual({ restMs: 15, chargedMs: 0 });
  expect(work(2)).toEqual({ restMs: 6, chargedMs: 11 });
  expect(work(1)).toEqual({ restMs: 3, chargedMs: 1 });
});

test("a rest takes at most 30 ms, and those of uncharged pieces in a row 100 ms together", () => {
  const work = createWorker();
  work(0);
  const rests = Array.from({ length: 6 }, () => work(60, "uncharged").restMs);
  expect(rests).toEqual([30, 30, 30, 10, 0, 0]);
  expect(work(60).restMs).toBe(30);
  expect(work(60, "uncharged").restMs).toBe(30);
});
