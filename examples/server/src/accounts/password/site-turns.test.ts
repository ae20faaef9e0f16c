import { expect, onTestFinished, test, vi } from "vitest";
import { createSiteTurns } from "./site-turns.js";

/** Asks for a turn for each site. Returns the sites that got one, in order, and those that were refused. */
async function ask(sites: readonly string[]) {
  const { take } = createSiteTurns();
  const done: string[] = [];
  const refused: string[] = [];
  let running = 0;
  const work = async (site: string) => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    done.push(site);
    running -= 1;
  };
  await Promise.all(
    sites.map((site) => take(site, () => work(site)).catch(() => refused.push(site))),
  );
  return { done, refused };
}
const times = (count: number, site: string) => Array.from({ length: count }, () => site);

test("sites take turns, and a site has at most eight hashes waiting", async () => {
  const { done, refused } = await ask([...times(20, "flood"), "a", "b"]);
  expect(done.slice(0, 4)).toEqual(["flood", "a", "b", "flood"]);
  expect([done.length, refused.length]).toEqual([11, 11]);
});

test("a full queue refuses the newest of the site that has the most, not a newcomer", async () => {
  const floods = times(20, "flood").flatMap((name, n) => times(8, `${name}-${n}`));
  const { done, refused } = await ask([...floods, "newcomer"]);
  expect(done).toContain("newcomer");
  expect(refused).not.toContain("newcomer");
  expect(done).toHaveLength(65);
});

test("work that fails gives its turn to the next", async () => {
  const { take } = createSiteTurns();
  const failed = take("a", () => Promise.reject(new Error("no")));
  const next = take("b", async () => "done");
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});

test("a site rests three times as long as its work took, at most a second", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { take } = createSiteTurns();
  const done: string[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const work = (site: string, ms: number) =>
    void take(site, async () => {
      await settle();
      vi.advanceTimersByTime(ms);
      done.push(site);
    });
  const finish = async () => {
    for (let n = 0; n < 3; n++) await settle();
  };
  work("a", 100);
  work("a", 20_000);
  work("a", 0);
  await finish();
  expect(done).toEqual(["a"]);
  work("b", 0);
  await finish();
  expect(done, "others do not wait for the rest").toEqual(["a", "b"]);
  vi.advanceTimersByTime(299);
  await finish();
  expect(done).toHaveLength(2);
  vi.advanceTimersByTime(1);
  await finish();
  expect(done).toHaveLength(3);
  vi.advanceTimersByTime(999);
  await finish();
  expect(done).toHaveLength(3);
  vi.advanceTimersByTime(1);
  await finish();
  expect(done).toHaveLength(4);
});
