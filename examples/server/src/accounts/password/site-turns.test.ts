import { expect, onTestFinished, test, vi } from "vitest";
import { BusyError, createSiteTurns } from "./site-turns.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for a turn for each site. Returns the sites that got one, in order, and those that were refused. */
async function ask(sites: readonly string[]) {
  const { take } = createSiteTurns();
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
  const { take } = createSiteTurns();
  const failed = take("a", () => Promise.reject(new Error("no")));
  const next = take("a", async () => "done");
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});

test("a site rests three times as long as its request took, at most a second", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { take } = createSiteTurns();
  const done: string[] = [];
  const work = (site: string, ms: number) =>
    void take(site, async () => {
      vi.advanceTimersByTime(ms);
      done.push(site);
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

test("a request that waited for more than 5 s is refused", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { take } = createSiteTurns();
  let end = () => {};
  const first = take("a", () => new Promise<void>((resolve) => (end = resolve)));
  const late = take("a", async () => "late");
  const refused = expect(late).rejects.toBeInstanceOf(BusyError);
  vi.advanceTimersByTime(5_001);
  end();
  await first;
  await refused;
});
