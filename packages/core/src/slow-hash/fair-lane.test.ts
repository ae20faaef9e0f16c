import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairLane, overtakingTurns } from "./fair-lane.js";

interface Item {
  readonly path: readonly string[];
  readonly n: number;
}

/** A lane whose items know their path, with a second book of what waits in it. */
function openLane(capacity: number) {
  const lane = createFairLane<Item>(capacity);
  const waiting = new Set<Item>();
  let n = 0;
  const takeItem = () => {
    const item = lane.take();
    if (item !== undefined) waiting.delete(item);
    return item;
  };
  return {
    lane,
    waiting,
    takeItem,
    take: () => takeItem()?.path.join("/"),
    add: (...path: string[]) => {
      const item = { path, n: n++ };
      waiting.add(item);
      const lost = lane.add(path, item);
      if (lost !== undefined) waiting.delete(lost);
      return { item, lost };
    },
  };
}

test("members of one group take turns, each in the order in which its items came", () => {
  const { lane, add } = openLane(9);
  for (const who of ["a", "a", "a", "b", "b", "c"]) add(who);
  const taken = Array.from({ length: 7 }, () => lane.take());
  expect(taken.map((item) => item?.path[0])).toEqual(["a", "b", "c", "a", "b", "a", undefined]);
  expect(taken.filter((item) => item?.path[0] === "a").map((item) => item?.n)).toEqual([0, 1, 2]);
});

test("a group has one share, however many members it has", () => {
  const { add, take } = openLane(9);
  for (const member of ["1", "2", "3", "4"]) add("many", member);
  for (const member of ["1", "2"]) add("few", member);
  expect(Array.from({ length: 6 }, take)).toEqual([
    "many/1",
    "few/1",
    "many/2",
    "few/2",
    "many/3",
    "many/4",
  ]);
});

test("a newcomer overtakes whoever was served lately, also without having waited", () => {
  const { lane, add, take } = openLane(9);
  lane.countTurn(["flood"]);
  add("flood");
  add("newcomer");
  expect([take(), take()]).toEqual(["newcomer", "flood"]);
});

test("a full lane gives up the newest item of whoever has most, and nobody else's", () => {
  const { lane, add } = openLane(4);
  const flood = ["flood", "flood", "flood", "flood"].map((who) => add(who).item);
  expect(add("a").lost).toBe(flood[3]);
  expect(add("b").lost).toBe(flood[2]);
  const again = add("flood");
  expect(again.lost, "the one that has most is refused").toBe(again.item);
  expect(lane.size).toBe(4);
});

test("a full lane looks at groups first: many addresses of one network push nobody else out", () => {
  const { add } = openLane(4);
  add("site", "1");
  add("site", "1");
  for (const address of ["1", "2"]) add("network", address);
  const { item, lost } = add("network", "3");
  expect(lost).toBe(item);
});

test("among parties that have as many, the one that was served lately gives way to a newcomer", () => {
  const { lane, add } = openLane(2);
  lane.countTurn(["a"]);
  const { item } = add("a");
  add("b");
  expect(add("newcomer").lost).toBe(item);
});

test("a lane without places refuses what comes", () => {
  const { add, take } = openLane(0);
  const { item, lost } = add("a");
  expect(lost).toBe(item);
  expect(take()).toBeUndefined();
});

test("removed items are never taken", () => {
  const { lane, add, take } = openLane(9);
  for (const who of ["a", "b", "c"]) add(who);
  expect(lane.remove(({ path }) => path[0] !== "b").map(({ path }) => path[0])).toEqual(["a", "c"]);
  expect([take(), take()]).toEqual(["b", undefined]);
});

/** Anything that strangers may do: add items of their own paths, or let turns go by. */
const strangers = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.nat(40), fc.nat(3)) },
    { weight: 1, arbitrary: fc.constant("turn" as const) },
  ),
  { maxLength: 300 },
);
type Deed = readonly [number, number] | "turn";

const play = ({ takeItem, add }: ReturnType<typeof openLane>, deed: Deed) => {
  if (deed !== "turn") return add(`stranger-${deed[0]}`, `address-${deed[1]}`).lost;
  takeItem();
  return undefined;
};

test("whatever came before, a newcomer waits for one turn of each other group at most", () => {
  const run = (before: readonly Deed[], after: readonly Deed[]) => {
    const world = openLane(32);
    for (const deed of before) play(world, deed);
    const others = new Set([...world.waiting].map(({ path }) => path[0]));
    const { item, lost } = world.add("newcomer", "home");
    if (lost === item) {
      expect(others.size, "refused only when each place is another group's").toBe(32);
      return;
    }
    let turns = 0;
    for (const deed of [...after, ...Array.from({ length: 40 }, () => "turn" as const)]) {
      if (deed !== "turn") {
        expect(play(world, deed), "is not pushed out again").not.toBe(item);
        continue;
      }
      if (world.takeItem() === item) break;
      turns++;
    }
    expect(turns).toBeLessThanOrEqual(others.size);
  };
  fc.assert(fc.property(strangers, strangers, run), { numRuns: 300 });
});

test("each of many groups has one turn before a newcomer, however old its other items are", () => {
  const { add, take } = openLane(1_000);
  const groups = Array.from({ length: overtakingTurns * 2 }, (_, n) => `group-${n}`);
  for (const who of [...groups, ...groups, ...groups]) add(who);
  add("newcomer");
  const before = Array.from({ length: groups.length }, take);
  expect(before).toEqual(groups);
  expect(take()).toBe("newcomer");
});

test("no stream of newcomers holds up somebody who was served lately for more than the overtaking turns", () => {
  const run = (arrivals: readonly number[]) => {
    const { lane, add, takeItem } = openLane(10_000);
    lane.countTurn(["regular"]);
    const { item } = add("regular");
    let born = 0;
    let early = 0;
    for (let turns = 0; turns < overtakingTurns; turns++) {
      for (let n = arrivals[turns] ?? 0; n > 0; n--) add(`newcomer-${born++}`);
      if (takeItem() === item) return;
      early = born - turns - 1;
    }
    let turns = 0;
    // From here on, fifty newcomers a turn are all behind.
    for (; turns <= early; turns++) {
      for (let n = 0; n < 50; n++) add(`newcomer-${born++}`);
      if (takeItem() === item) break;
    }
    expect(turns, "only those that came before are in front").toBeLessThanOrEqual(early);
  };
  const counts = fc.array(fc.nat(5), { minLength: overtakingTurns, maxLength: overtakingTurns });
  fc.assert(fc.property(counts, run), { numRuns: 20 });
});

test("it never holds more than it has places, and gives every item back exactly once", () => {
  const run = (deeds: readonly Deed[]) => {
    const { lane, add } = openLane(8);
    const back: Item[] = [];
    let added = 0;
    for (const deed of deeds) {
      const out =
        deed === "turn" ? lane.take() : add(`stranger-${deed[0]}`, `address-${deed[1]}`).lost;
      if (deed !== "turn") added++;
      if (out !== undefined) back.push(out);
      expect(lane.size).toBeLessThanOrEqual(8);
    }
    for (let item = lane.take(); item !== undefined; item = lane.take()) back.push(item);
    expect(new Set(back).size).toBe(added);
    expect(back).toHaveLength(added);
  };
  fc.assert(fc.property(strangers, run));
});
