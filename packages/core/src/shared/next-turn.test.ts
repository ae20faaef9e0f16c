import { expect, test } from "vitest";
import { nextTurn } from "./next-turn.js";

test("each turn of the event loop resumes one caller, in the order of the calls", async () => {
  const seen: string[] = [];
  const work = async (name: string) => {
    for (let piece = 0; piece < 3; piece++) {
      await nextTurn();
      seen.push(name);
    }
  };
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    seen.push("|");
    setImmediate(watch);
  };
  const all = Promise.all([work("a"), work("b")]);
  setImmediate(watch);
  await all;
  isOver = true;
  expect(seen.join("").replace(/\|+$/, "")).toBe("a|b|a|b|a|b");
});
