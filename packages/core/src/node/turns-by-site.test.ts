import { expect, test } from "vitest";
import { createTurnsBySite } from "./turns-by-site.js";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("each site starts a limited number in a turn, the rest in order in the turns after it", async () => {
  const turns = createTurnsBySite(2);
  const started: string[] = [];
  for (const name of ["a0", "a1", "a2", "a3", "a4", "b0"]) {
    const [site = ""] = name;
    if (turns.enter(site)) started.push(name);
    else turns.wait(site, () => started.push(name));
  }
  expect(started).toEqual(["a0", "a1", "b0"]);
  await nextTurn();
  expect(started).toEqual(["a0", "a1", "b0", "a2", "a3"]);
  await nextTurn();
  expect(started).toEqual(["a0", "a1", "b0", "a2", "a3", "a4"]);
});

test("a request does not overtake those of its site that wait", async () => {
  const turns = createTurnsBySite(1);
  const started: string[] = [];
  turns.wait("a", () => started.push("first"));
  expect(turns.enter("a")).toBe(false);
  turns.wait("a", () => started.push("second"));
  await nextTurn();
  expect(started).toEqual(["first"]);
  await nextTurn();
  expect(started).toEqual(["first", "second"]);
  await nextTurn();
  expect(turns.enter("a")).toBe(true);
});

test("what starts in a turn may let another site in, and that site keeps its limit", async () => {
  const turns = createTurnsBySite(1);
  const started: string[] = [];
  turns.wait("a", () => {
    if (turns.enter("b")) started.push("b0");
    turns.wait("b", () => started.push("b1"));
  });
  await nextTurn();
  expect(started).toEqual(["b0"]);
  await nextTurn();
  expect(started).toEqual(["b0", "b1"]);
});
