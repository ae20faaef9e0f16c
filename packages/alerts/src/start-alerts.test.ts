import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Alerts, startAlerts } from "./start-alerts.js";
import { type AlertWorld, minuteMs, openAlertWorld } from "./testing/alert-world.js";

/** Starts alerts whose rounds do nothing unless `changes` says so. Timers are fake. */
function start(changes: Partial<Alerts>) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return startAlerts({
    outageMs: 120_000,
    readLevels: () => ({ isActive: false, lagSeconds: 0, judged: 0 }),
    evaluate: async () => ({ judged: 0, lookedMs: 0 }),
    deliver: async () => 0,
    runOnce: async () => ({ judged: 0, lookedMs: 0 }),
    release: async () => {},
    ...changes,
  });
}

test("rounds leave no listeners behind", async () => {
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const remove = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  const evaluate = vi.fn(async () => ({ judged: 0, lookedMs: 0 }));
  const running = start({ evaluate });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(evaluate.mock.calls.length).toBeGreaterThan(15);
  await running.stop();
  expect(remove.mock.calls).toHaveLength(add.mock.calls.length);
});

test("§8 the rest after a round of a large fleet never looks like an outage", async () => {
  const evaluate = vi.fn(async () => ({ judged: 0, lookedMs: 3_000 }));
  const running = start({ evaluate });
  await vi.advanceTimersByTimeAsync(130_000);
  expect(evaluate.mock.calls.length).toBeGreaterThanOrEqual(3);
  await running.stop();
});

test("§8 notifications are delivered although rules cannot be evaluated", async () => {
  const evaluate = async () => {
    throw new Error("The database is down");
  };
  const deliver = vi.fn(async () => 0);
  const running = start({ evaluate, deliver });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(deliver.mock.calls.length).toBeGreaterThan(15);
  await running.stop();
});

test("§8 a single round delivers notifications although it cannot evaluate rules", async () => {
  const store = createMemoryStore();
  const due = vi.spyOn(store.alerts, "due");
  const world = openAlertWorld({}, store);
  await world.register("gw-1");
  await world.addRule("silent", {});
  world.failure = new Error("The mail server is down");
  await world.pass(8 * minuteMs);
  world.failure = null;
  due.mockRejectedValue(new Error("The database is down"));
  await expect(world.pass(minuteMs)).rejects.toThrow("The database is down");
  expect(world.delivered()).toEqual(["firing gw-1"]);
});

test("a stop gives up the lease although a channel hangs", async () => {
  const released = vi.fn(async () => {});
  let settle = () => {};
  const deliver = () => new Promise<number>((resolve) => (settle = () => resolve(0)));
  const running = start({ deliver, release: released });
  const stopped = running.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(released).toHaveBeenCalledOnce();
  settle();
  await stopped;
});

/** Lets time pass in steps, with a round of the running alerts after each. */
async function passRunning({ clock, store }: AlertWorld, ms: number): Promise<void> {
  const hasBeat = async () => (await store.alerts.findWatch(""))?.content["beatAt"] === clock.now();
  for (let left = ms; left > 0; left -= 30_000) {
    clock.advance(30_000);
    while (!(await hasBeat())) await vi.advanceTimersByTimeAsync(1_000);
  }
}

test("§8 a channel that takes minutes does not delay alerts", async () => {
  let end = () => {};
  const channel = {
    name: "slow",
    send: () => new Promise<void>((resolve) => (end = resolve)),
  };
  const world = openAlertWorld({ channels: [channel] });
  for (const id of ["gw-1", "gw-2"]) await world.register(id);
  await world.addRule("silent", {});
  await world.addRule("low", {
    condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 },
  });
  await world.alerts.evaluate();
  await world.send("gw-2", { soc: 10 });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const running = startAlerts(world.alerts);
  await passRunning(world, 9 * minuteMs);
  expect(await world.events()).toEqual(["firing gw-2", "firing gw-1", "firing gw-2"]);
  end();
  await running.stop();
});
