import { expect, onTestFinished, test, vi } from "vitest";
import { createTurnsBySite, type TurnLimits } from "./turns-by-site.js";

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Creates turns that start requests which take some milliseconds of the event loop after a promise was resolved. */
function createTrial(limits: TurnLimits) {
  const started: string[] = [];
  let now = 0;
  const turns = createTurnsBySite(limits, () => now);
  const run = async (name: string, ms: number) => {
    started.push(name);
    await Promise.resolve();
    now += ms;
  };
  return {
    started,
    turns,
    run,
    send(name: string, ms = 0) {
      const [site = ""] = name;
      if (turns.enter(site)) void run(name, ms);
      else turns.wait(site, () => void run(name, ms));
    },
  };
}

test("each site starts a limited number in a turn, the rest in order in the turns after it", async () => {
  const { started, send } = createTrial({ requests: 2, ms: 1, shortMs: 9 });
  for (const name of ["a0", "a1", "a2", "a3", "a4", "b0"]) send(name);
  expect(started).toEqual(["a0", "b0"]);
  await Promise.resolve();
  await nextTick();
  expect(started).toEqual(["a0", "b0", "a1"]);
  await nextTurn();
  expect(started).toEqual(["a0", "b0", "a1", "a2", "a3"]);
  await nextTurn();
  expect(started).toEqual(["a0", "b0", "a1", "a2", "a3", "a4"]);
});

test("a site that has used its time starts the next request in a later turn", async () => {
  const { started, send } = createTrial({ requests: 8, ms: 1, shortMs: 9 });
  for (const name of ["a0", "a1", "a2", "a3", "a4", "a5"]) send(name, 0.6);
  await nextTurn();
  expect(started).toEqual(["a0", "a1", "a2", "a3"]);
  await nextTurn();
  expect(started).toEqual(["a0", "a1", "a2", "a3", "a4", "a5"]);
});

test("a request that throws when it starts does not stop the others, and the error is reported as uncaught", async () => {
  const uncaught: unknown[] = [];
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => uncaught.push(error));
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
  });
  const { started, send, turns } = createTrial({ requests: 1, ms: 1, shortMs: 9 });
  for (const name of ["a0", "b0"]) send(name);
  turns.wait("a", () => {
    throw new Error("thrown by a listener");
  });
  for (const name of ["a1", "b1"]) send(name);
  for (let turn = 0; turn < 4; turn++) await nextTurn();
  expect(started).toEqual(["a0", "b0", "b1", "a1"]);
  expect(uncaught).toEqual([new Error("thrown by a listener")]);
});

test("a request does not overtake those of its site that wait", async () => {
  const { started, send, turns } = createTrial({ requests: 1, ms: 1, shortMs: 9 });
  send("a0");
  send("a1");
  expect(turns.enter("a")).toBe(false);
  send("a2");
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(started).toEqual(["a0", "a1", "a2"]);
  await nextTurn();
  expect(turns.enter("a")).toBe(true);
});

test("what starts in a turn may let another site in, and that site keeps its limit", async () => {
  const { started, send, turns } = createTrial({ requests: 1, ms: 1, shortMs: 9 });
  turns.wait("a", () => {
    send("b0");
    send("b1");
  });
  expect(started).toEqual(["b0"]);
  await nextTurn();
  await nextTurn();
  expect(started).toEqual(["b0", "b1"]);
});

test("while another site is active, a site rests after an expensive request for three times its duration", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { started, send, turns } = createTrial({ requests: 8, ms: 9, shortMs: 1 });
  for (const name of ["b0", "a0", "a1", "a2", "a3"]) send(name, name === "a1" ? 2 : 0.1);
  await nextTurn();
  await nextTurn();
  expect(started).toEqual(["b0", "a0", "a1"]);
  send("b1");
  vi.advanceTimersByTime(5);
  await nextTurn();
  expect(started).toEqual(["b0", "a0", "a1", "b1"]);
  expect(turns.enter("a")).toBe(false);
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(started).toEqual(["b0", "a0", "a1", "b1", "a2", "a3"]);
});

test("while another site is active, a site whose long requests have worked for 50 ms gets a twentieth of the time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { started, send, turns, run } = createTrial({ requests: 8, ms: 9, shortMs: 1 });
  send("b0");
  const done = { restMs: 0, chargedMs: 3 };
  const goOn = (name: string) => turns.goOn("a", done, () => void run(name, 0));
  for (let n = 0; n < 16; n++) goOn(`a${n}`);
  await nextTurn();
  await nextTurn();
  expect(started).toHaveLength(17);
  goOn("last");
  await nextTurn();
  expect(started).toHaveLength(17);
  send("a-short");
  turns.goOn("a", { restMs: 0, chargedMs: 0 }, () => void run("a-body", 0));
  await nextTurn();
  expect(started.slice(-2)).toEqual(["a-short", "a-body"]);
  vi.advanceTimersByTime(19);
  await nextTurn();
  expect(started).toHaveLength(19);
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(started.at(-1)).toBe("last");
});

test("a long request rests after a piece while another site is active", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { started, send, turns, run } = createTrial({ requests: 8, ms: 9, shortMs: 1 });
  const goOn = (name: string) =>
    turns.goOn("a", { restMs: 6, chargedMs: 0 }, () => void run(name, 0));
  goOn("alone");
  send("b0");
  await nextTurn();
  expect(started).toEqual(["alone", "b0"]);
  goOn("rested");
  await nextTurn();
  vi.advanceTimersByTime(5);
  expect(started).toEqual(["alone", "b0"]);
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(started).toEqual(["alone", "b0", "rested"]);
});

test("a site that is alone does not rest, nor one whose neighbour sent nothing for a second", async () => {
  const { started, send, turns } = createTrial({ requests: 8, ms: 9, shortMs: 1 });
  send("b0", 1_001);
  await nextTurn();
  for (const name of ["a0", "a1"]) send(name, 2);
  await nextTurn();
  expect(started).toEqual(["b0", "a0", "a1"]);
  expect([turns.isContested("a"), turns.isContested("b")]).toEqual([false, true]);
});
