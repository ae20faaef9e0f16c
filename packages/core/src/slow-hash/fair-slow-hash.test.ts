import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { SlowHashBusyError } from "../ports/slow-hash.js";
import { createFairSlowHash } from "./fair-slow-hash.js";
import type { HashQueue } from "./hash-requester.js";

const cost = { logN: 1, r: 1, p: 1 };

/** A queue in front of a slow hash whose calls end when the test ends them. */
function openQueue({ inFlight = 2, queued = 8, rests = false } = {}) {
  const running: { readonly n: number; end(): void; fail(error: Error): void }[] = [];
  const begun: string[] = [];
  const names: string[] = [];
  const hash = createFairSlowHash(
    {
      derive: ([n = 0]) =>
        new Promise((resolve, reject) => {
          begun.push(names[n] ?? "");
          running.push({ n, end: () => resolve(new Uint8Array([n])), fail: reject });
        }),
    },
    { inFlight, queued },
  );
  /** Lets everything run that does not wait for a hash. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    hash,
    settle,
    begun,
    running,
    ask: (queue: HashQueue, ...path: string[]) => {
      const n = names.push(path.join("/")) - 1;
      const requester = rests ? { queue, path, restsAs: path.join("/") } : { queue, path };
      const asked = hash.derive(requester, new Uint8Array([n]), new Uint8Array(0), cost);
      // Some are refused before the test awaits them.
      asked.catch(() => {});
      return asked;
    },
    /** Ends the oldest running hash. */
    async endOne() {
      await settle();
      running.shift()?.end();
      await settle();
    },
  };
}

function useFakeTimers() {
  const toFake = ["performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"];
  vi.useFakeTimers({ toFake: toFake as never });
  onTestFinished(() => void vi.useRealTimers());
}

test("§9 only the given number of hashes runs at once, and the others wait", async () => {
  const { hash, running, ask, settle, endOne } = openQueue();
  const asked = ["a", "b", "c", "d"].map((who) => ask("claim", who));
  await settle();
  expect([running.length, hash.waiting()]).toEqual([2, 2]);
  await endOne();
  expect([running.length, hash.waiting()]).toEqual([2, 1]);
  for (let n = 0; n < 3; n++) await endOne();
  expect(await Promise.all(asked)).toEqual([0, 1, 2, 3].map((n) => new Uint8Array([n])));
  expect([running.length, hash.waiting()]).toEqual([0, 0]);
});

test("§9 one requester never runs all hashes, so that another one starts at once", async () => {
  const { begun, running, ask, settle, endOne } = openQueue({ inFlight: 3 });
  for (let n = 0; n < 5; n++) void ask("claim", "attacker", `device-${n}`);
  await settle();
  expect(running.length).toBe(2);
  void ask("claim", "owner");
  await settle();
  expect(begun.at(-1)).toBe("owner");
  void ask("registration", "attacker");
  await endOne();
  expect(begun.at(-1), "its registrations are counted apart").toBe("attacker");
  for (let n = 0; n < 6; n++) await endOne();
  expect(begun.length).toBe(7);
});

test("§9 a claim gets the next turn during a flood of registrations", async () => {
  const { begun, ask, endOne } = openQueue({ inFlight: 1 });
  for (let n = 0; n < 10; n++) void ask("registration", "flood");
  const claim = ask("claim", "owner");
  await endOne();
  expect(begun.at(-1)).toBe("owner");
  await endOne();
  await endOne();
  await expect(claim).resolves.toBeDefined();
});

test("§9 registrations get every second turn during a flood of claims", async () => {
  const { begun, ask, endOne } = openQueue({ inFlight: 1 });
  for (let n = 0; n < 9; n++) void ask("claim", "flood");
  for (let n = 0; n < 4; n++) void ask("registration", "site");
  for (let n = 0; n < 8; n++) await endOne();
  expect(begun.slice(1, 9).filter((who) => who === "site")).toHaveLength(4);
  expect(begun.slice(1, 3)).toContain("site");
});

test("§9 a full queue refuses the client that fills it and accepts everyone else", async () => {
  const { hash, ask } = openQueue({ queued: 3 });
  const flood = Array.from({ length: 9 }, () => ask("registration", "flood"));
  const outcomes = await Promise.allSettled([flood[5], flood[6], flood[7], flood[8]]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ reason: expect.any(SlowHashBusyError) as unknown });
  }
  void ask("registration", "newcomer");
  await expect(flood[4], "makes room for the newcomer").rejects.toBeInstanceOf(SlowHashBusyError);
  void ask("claim", "owner");
  expect(hash.waiting(), "claims have their own places").toBe(4);
});

test("§9 a request that waited longer than 5 s is refused and takes no turn", async () => {
  useFakeTimers();
  const { hash, begun, ask, settle, endOne } = openQueue({ inFlight: 1 });
  void ask("claim", "first");
  const late = [ask("claim", "late"), ask("registration", "late")];
  vi.advanceTimersByTime(4_999);
  void ask("claim", "fresh");
  await settle();
  expect(hash.waiting()).toBe(3);
  vi.advanceTimersByTime(1);
  expect(hash.waiting(), "although the first hash has not ended").toBe(1);
  await endOne();
  for (const request of late) await expect(request).rejects.toBeInstanceOf(SlowHashBusyError);
  expect(begun).toEqual(["first", "fresh"]);
  expect(hash.waiting()).toBe(0);
});

test("§9 a hash that fails passes its turn on", async () => {
  const { begun, running, ask, settle } = openQueue({ inFlight: 1, queued: 1 });
  const broken = ask("claim", "broken");
  const next = ask("claim", "next");
  await settle();
  running[0]?.fail(new Error("scrypt refused"));
  await expect(broken).rejects.toThrow("scrypt refused");
  await settle();
  expect(begun).toEqual(["broken", "next"]);
  running[1]?.end();
  await expect(next).resolves.toBeDefined();
});

test("§9 after a hash, a requester that must rest does so three times as long, at most a second", async () => {
  useFakeTimers();
  const { begun, ask, settle, endOne } = openQueue({ inFlight: 1, rests: true });
  for (let n = 0; n < 3; n++) void ask("claim", "attacker");
  await settle();
  vi.advanceTimersByTime(100);
  await endOne();
  expect(begun, "the second one waits").toHaveLength(1);
  void ask("claim", "owner");
  await settle();
  expect(begun.at(-1), "others do not wait for the rest").toBe("owner");
  await endOne();
  vi.advanceTimersByTime(299);
  await settle();
  expect(begun).toHaveLength(2);
  vi.advanceTimersByTime(2);
  await settle();
  expect(begun).toEqual(["attacker", "owner", "attacker"]);
  vi.advanceTimersByTime(2_000);
  await endOne();
  vi.advanceTimersByTime(999);
  await settle();
  expect(begun).toHaveLength(3);
  vi.advanceTimersByTime(2);
  await settle();
  expect(begun).toHaveLength(4);
});

test("§9 a requester that must rest has one hash at a time", async () => {
  const { running, ask, settle } = openQueue({ inFlight: 4, rests: true });
  for (let n = 0; n < 3; n++) void ask("claim", "attacker");
  void ask("claim", "owner");
  await settle();
  expect(running).toHaveLength(2);
});

test("§9 if a runtime drops the timer of a rest, a waiting request starts within half a second after the rest", async () => {
  useFakeTimers();
  const { begun, ask, settle, endOne } = openQueue({ inFlight: 1, rests: true });
  void ask("claim", "owner");
  await settle();
  vi.advanceTimersByTime(100);
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", () => 0);
  onTestFinished(() => void vi.unstubAllGlobals());
  await endOne();
  vi.stubGlobal("setTimeout", setTimeout);
  void ask("claim", "owner");
  await settle();
  expect(begun).toHaveLength(1);
  vi.advanceTimersByTime(500);
  await settle();
  expect(begun).toHaveLength(2);
});

type Action = readonly [HashQueue, number] | "end";

test("§9 the bounds hold for any sequence of requests, and every request ends exactly once", async () => {
  const queue = fc.constantFrom<HashQueue>("claim", "registration");
  const actions = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(queue, fc.nat(6)) },
      { weight: 2, arbitrary: fc.constant("end" as const) },
    ),
    { maxLength: 120 },
  );
  const run = async (steps: readonly Action[]) => {
    const { hash, running, ask, settle, endOne } = openQueue({ queued: 4 });
    const asked: Promise<unknown>[] = [];
    /** The requester of each request that has not ended. */
    const open = new Map<number, string>();
    let settled = 0;
    for (const step of steps) {
      if (step === "end") await endOne();
      else {
        const n = asked.length;
        const count = () => {
          settled++;
          open.delete(n);
        };
        open.set(n, step.join(" "));
        asked.push(ask(step[0], `requester-${step[1]}`).then(count, count));
        await settle();
      }
      expect(running.length).toBeLessThanOrEqual(2);
      expect(hash.waiting()).toBeLessThanOrEqual(8);
      const requesters = new Set(open.values());
      expect(
        running.length === 2 || requesters.size < 2,
        "a place is free only while a single requester asks",
      ).toBe(true);
    }
    while (running.length > 0) await endOne();
    await Promise.allSettled(asked);
    expect([settled, hash.waiting()]).toEqual([asked.length, 0]);
  };
  await fc.assert(fc.asyncProperty(actions, run), { numRuns: 60 });
});
