import { expect, it } from "vitest";
import { findMissing, findWrongIds } from "./expected.js";

const sent = new Map([
  [
    "gw-1",
    [
      { at: 1, value: 60 },
      { at: 2, value: 70 },
      { at: 2, value: 40 },
      { at: 3, value: 80 },
    ],
  ],
]);
const transitions = ["firing 60 1", "cleared 40 2", "firing 80 3"];
const all = transitions.map((transition) => ({ id: transition, deviceId: "gw-1", transition }));
const values = new Map([
  ["gw-1 1", 60],
  ["gw-1 2", 40],
  ["gw-1 3", 80],
]);

it("a value that another one has replaced, and a notice that never came, are missing", () => {
  expect(findMissing(sent, { values, notices: all })).toEqual([]);
  const replaced = new Map([...values, ["gw-1 2", 70]]);
  expect(findMissing(sent, { values: replaced, notices: all.slice(1) })).toEqual([
    "the sink lacks 1 of 3 values",
    "1 of 3 notices about gw-1 are missing",
  ]);
});

it("a repeated notice must have the id of the first one", () => {
  expect(findWrongIds([...all, ...all])).toEqual([]);
  const [first] = all;
  expect(findWrongIds([...all, { ...first, id: "other" } as (typeof all)[0]])).toHaveLength(1);
});
