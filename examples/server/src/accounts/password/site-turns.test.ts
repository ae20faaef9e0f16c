import { expect, onTestFinished, test, vi } from "vitest";
import { BusyError, createSiteTurns } from "./site-turns.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a function that works in a turn of a site. The work returns for how many milliseconds the site rests. */
function createTake() {
  const { enter } = createSiteTurns();
  return async (site: string, work: () => Promise<unknown>) => {
    const end = await enter(site);
    let workMs = 0;
    try {
      const worked = await work();
      if (typeof worked === "number") workMs = worked;
    } finally {
      end(workMs);
    }
  };
}

/** Asks for a turn for each site. Returns the sites that got one, in order, and those that were refused. */
async function ask(sites: readonly string[]) {
  const take = createTake();
  const done: string[] = [];
  const refused: string[] = [];
  const running: string[] = [];
  const work = async (site: string) => {
    expect(running, "one request of a site at a time").not.toContain(site);
    running.push(site);
    expect(running.length).toBeLessThanOrEqual(2);
    await settle();
    done.push(site);
    running.splice(running.indexOf(site), 1);
  };
  await Promise.all(
    sites.map((site) => take(site, () => work(site)).catch(() => refused.push(site))),
  );
  return { done, refused };
}
const times = (count: number, site: string) => Array.from({ length: count }, () => site);

test("sites take turns, and a site has at most eight requests waiting", async () => {
  const { done, refused } = await ask([...times(20, "flood"), "a", "b"]);
  expect(done.slice(0, 3)).toEqual(["flood", "a", "b"]);
  expect([done.length, refused.length]).toEqual([11, 11]);
});

test("a full queue refuses the newest of the site that has the most, not a newcomer", async () => {
  const floods = times(20, "flood").flatMap((name, n) => times(8, `${name}-${n}`));
  const { done, refused } = await ask([...floods, "newcomer"]);
  expect(done).toContain("newcomer");
  expect(refused).not.toContain("newcomer");
  expect(done).toHaveLength(66);
});

test("a request that fails gives its turn to the next", async () => {
  const take = createTake();
  const failed = take("a", () => Promise.reject(new Error("no")));
  const next = take("a", async () => undefined);
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toBeUndefined();
});

function useFakeTimers() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("a site rests three times as long as it worked, at most a second", async () => {
  useFakeTimers();
  const take = createTake();
  const done: string[] = [];
  const work = (site: string, ms: number) =>
    void take(site, async () => {
      done.push(site);
      return ms;
    });
  work("a", 100);
  work("a", 1_000);
  work("a", 0);
  await settle();
  expect(done).toEqual(["a"]);
  work("b", 0);
  await settle();
  expect(done, "others do not wait for the rest").toEqual(["a", "b"]);
  vi.advanceTimersByTime(299);
  await settle();
  expect(done).toHaveLength(2);
  vi.advanceTimersByTime(1);
  await settle();
  expect(done).toHaveLength(3);
  vi.advanceTimersByTime(999);
  await settle();
  expect(done).toHaveLength(3);
  vi.advanceTimersByTime(1);
  await settle();
  expect(done).toHaveLength(4);
});

test("a caller that waited for 5 s is refused, although no turn ended", async () => {
  useFakeTimers();
  const take = createTake();
  let end = () => {};
  const first = take("a", () => new Promise<void>((resolve) => (end = resolve)));
  const late = take("a", async () => undefined);
  const refused = expect(late).rejects.toBeInstanceOf(BusyError);
  vi.advanceTimersByTime(4_999);
  const latest = take("a", async () => undefined);
  vi.advanceTimersByTime(1);
  await refused;
  end();
  await first;
  vi.advanceTimersByTime(0);
  await expect(latest).resolves.toBeUndefined();
});
