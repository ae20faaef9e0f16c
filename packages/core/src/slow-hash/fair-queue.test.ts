import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairQueue, overtakingTurns } from "./fair-queue.js";

interface Item {
  readonly path: readonly string[];
  readonly n: number;
}

/** A queue whose items know their path, with a set of the items that wait. */
function openQueue(capacity: number) {
  const queue = createFairQueue<Item>(capacity);
  const waiting = new Set<Item>();
  let n = 0;
  const takeItem = () => {
    const item = queue.take(() => true);
    if (item !== undefined) waiting.delete(item);
    return item;
  };
  return {
    queue,
    waiting,
    takeItem,
    take: () => takeItem()?.path.join("/"),
    add: (...path: string[]) => {
      const item = { path, n: n++ };
      waiting.add(item);
      const lost = queue.add(path, item);
      if (lost !== undefined) waiting.delete(lost);
      return { item, lost };
    },
  };
}

test("members of a group take turns, and each member's items keep their order", () => {
  const { queue, add } = openQueue(9);
  for (const who of ["a", "a", "a", "b", "b", "c"]) add(who);
  const taken = Array.from({ length: 7 }, () => queue.take(() => true));
  expect(taken.map((item) => item?.path[0])).toEqual(["a", "b", "c", "a", "b", "a", undefined]);
  expect(taken.filter((item) => item?.path[0] === "a").map((item) => item?.n)).toEqual([0, 1, 2]);
});

test("a group gets one share of the turns, however many members it has", () => {
  const { add, take } = openQueue(9);
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

test("a newcomer overtakes a group that was served recently, even one that did not have to wait", () => {
  const { queue, add, take } = openQueue(9);
  queue.countTurn(["flood"]);
  add("flood");
  add("newcomer");
  expect([take(), take()]).toEqual(["newcomer", "flood"]);
});

test("a full queue drops the newest item of the group that has the most", () => {
  const { queue, add } = openQueue(4);
  const flood = ["flood", "flood", "flood", "flood"].map((who) => add(who).item);
  expect(add("a").lost).toBe(flood[3]);
  expect(add("b").lost).toBe(flood[2]);
  const again = add("flood");
  expect(again.lost, "the group that has the most is refused").toBe(again.item);
  expect(queue.size).toBe(4);
});

test("a full queue compares groups first, so many addresses of one network push no other group out", () => {
  const { add } = openQueue(4);
  add("site", "1");
  add("site", "1");
  for (const address of ["1", "2"]) add("network", address);
  const { item, lost } = add("network", "3");
  expect(lost).toBe(item);
});

test("among groups of equal length, the one that was served recently gives way to a newcomer", () => {
  const { queue, add } = openQueue(2);
  queue.countTurn(["a"]);
  const { item } = add("a");
  add("b");
  expect(add("newcomer").lost).toBe(item);
});

test("a queue without places refuses every item", () => {
  const { add, take } = openQueue(0);
  const { item, lost } = add("a");
  expect(lost).toBe(item);
  expect(take()).toBeUndefined();
});

test("a removed item is never taken", () => {
  const { queue, add, take } = openQueue(9);
  for (const who of ["a", "b", "c"]) add(who);
  expect(queue.remove(({ path }) => path[0] !== "b").map(({ path }) => path[0])).toEqual([
    "a",
    "c",
  ]);
  expect([take(), take()]).toEqual(["b", undefined]);
});

/** What strangers may do: add items with their own paths, or let turns pass. */
const strangers = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.nat(40), fc.nat(3)) },
    { weight: 1, arbitrary: fc.constant("turn" as const) },
  ),
  { maxLength: 300 },
);
type Action = readonly [number, number] | "turn";

const play = ({ takeItem, add }: ReturnType<typeof openQueue>, action: Action) => {
  if (action !== "turn") return add(`stranger-${action[0]}`, `address-${action[1]}`).lost;
  takeItem();
  return undefined;
};

test("whatever came before, a newcomer waits for at most one turn of each other group", () => {
  const run = (before: readonly Action[], after: readonly Action[]) => {
    const world = openQueue(32);
    for (const action of before) play(world, action);
    const others = new Set([...world.waiting].map(({ path }) => path[0]));
    const { item, lost } = world.add("newcomer", "home");
    if (lost === item) {
      expect(others.size, "refused only if every place belongs to another group").toBe(32);
      return;
    }
    let turns = 0;
    for (const action of [...after, ...Array.from({ length: 40 }, () => "turn" as const)]) {
      if (action !== "turn") {
        expect(play(world, action), "is not pushed out again").not.toBe(item);
        continue;
      }
      if (world.takeItem() === item) break;
      turns++;
    }
    expect(turns).toBeLessThanOrEqual(others.size);
  };
  fc.assert(fc.property(strangers, strangers, run), { numRuns: 300 });
});

test("each of many groups gets one turn before a newcomer, however old its other items are", () => {
  const { add, take } = openQueue(1_000);
  const groups = Array.from({ length: overtakingTurns * 2 }, (_, n) => `group-${n}`);
  for (const who of [...groups, ...groups, ...groups]) add(who);
  add("newcomer");
  const before = Array.from({ length: groups.length }, take);
  expect(before).toEqual(groups);
  expect(take()).toBe("newcomer");
});

test("a stream of newcomers delays a group that was served recently by at most the overtaking turns", () => {
  const run = (arrivals: readonly number[]) => {
    const { queue, add, takeItem } = openQueue(10_000);
    queue.countTurn(["regular"]);
    const { item } = add("regular");
    let born = 0;
    let early = 0;
    for (let turns = 0; turns < overtakingTurns; turns++) {
      for (let n = arrivals[turns] ?? 0; n > 0; n--) add(`newcomer-${born++}`);
      if (takeItem() === item) return;
      early = born - turns - 1;
    }
    let turns = 0;
    // From now on fifty newcomers arrive in each turn, and all of them queue behind.
    for (; turns <= early; turns++) {
      for (let n = 0; n < 50; n++) add(`newcomer-${born++}`);
      if (takeItem() === item) break;
    }
    expect(turns, "only newcomers that came earlier are in front").toBeLessThanOrEqual(early);
  };
  const counts = fc.array(fc.nat(5), { minLength: overtakingTurns, maxLength: overtakingTurns });
  fc.assert(fc.property(counts, run), { numRuns: 20 });
});

test("a queue never holds more items than its capacity, and returns every item exactly once", () => {
  const run = (actions: readonly Action[]) => {
    const { queue, add } = openQueue(8);
    const back: Item[] = [];
    let added = 0;
    for (const action of actions) {
      const out =
        action === "turn"
          ? queue.take(() => true)
          : add(`stranger-${action[0]}`, `address-${action[1]}`).lost;
      if (action !== "turn") added++;
      if (out !== undefined) back.push(out);
      expect(queue.size).toBeLessThanOrEqual(8);
    }
    for (let item = queue.take(() => true); item !== undefined; item = queue.take(() => true))
      back.push(item);
    expect(new Set(back).size).toBe(added);
    expect(back).toHaveLength(added);
  };
  fc.assert(fc.property(strangers, run));
});
