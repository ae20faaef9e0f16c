import { expect, test } from "vitest";
import { createPieceMeter } from "./piece-meter.js";

test("a charged piece pays for the uncharged pieces before it, but not for the rests between them", () => {
  let now = 1_000;
  const meter = createPieceMeter(() => now);
  const work = (ms: number, piece?: "charged" | "uncharged") => {
    now += ms;
    const done = meter.end(piece);
    now += 50;
    meter.begin();
    return done;
  };
  expect(work(7)).toEqual({ workedMs: 0, chargedMs: 0 });
  expect(work(3, "charged")).toEqual({ workedMs: 3, chargedMs: 3 });
  expect(work(4, "uncharged")).toEqual({ workedMs: 4, chargedMs: 0 });
  expect(work(5, "uncharged")).toEqual({ workedMs: 5, chargedMs: 0 });
  expect(work(2)).toEqual({ workedMs: 2, chargedMs: 11 });
  expect(work(1)).toEqual({ workedMs: 1, chargedMs: 1 });
});
