import { expect, test } from "vitest";
import { createOpenStreams } from "./open-streams.js";

test("giving a place back twice counts once, and ends no stream that was opened in between", () => {
  const streams = createOpenStreams();
  const giveBack = streams.take("user", () => {});
  giveBack?.();
  let isEnded = false;
  streams.take("user", () => {
    isEnded = true;
  });
  giveBack?.();
  for (let n = 0; n < 4; n++) expect(streams.take("user", () => {})).toBeDefined();
  expect(streams.take("user", () => {})).toBeUndefined();
  streams.endAll();
  expect(isEnded).toBe(true);
});
