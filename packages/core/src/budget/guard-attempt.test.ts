import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import type { BudgetStore } from "../store.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What becomes of a call: it is lost on its way, its answer is, or it comes late. */
type Fault = "lost" | "answer lost" | "late" | undefined;

async function openFaultyWorld() {
  const store = createMemoryStore();
  const faults: { reserve: Fault; refund: Fault } = { reserve: undefined, refund: undefined };
  const late: (() => Promise<unknown>)[] = [];
  const suffer = async <Outcome>(fault: Fault, call: () => Promise<Outcome>) => {
    if (fault === undefined) return call();
    if (fault === "answer lost") await call();
    if (fault === "late") late.push(call);
    throw new StoreUnavailableError("The database can't be used now.");
  };
  const budgets: BudgetStore = {
    ...store.budgets,
    reserve: (input) => suffer(faults.reserve, () => store.budgets.reserve(input)),
    refund: (id) => suffer(faults.refund, () => store.budgets.refund(id)),
  };
  const faulty = { ...store, budgets };
  const world = await openWireWorld({
    serve: serveInProcess,
    openStore: async () => ({ store: faulty, dispose: () => store.close() }),
  });
  await world.register();
  const token = await world.signIn("alice");
  return {
    ...world,
    faults,
    arriveLate: async () => {
      for (const call of late.splice(0)) await call();
    },
    claim: async (claimCode = "ABCD-EFGH") => {
      const body = { deviceId: "gw-1", claimCode };
      return (await world.call("claimDevice", { token, body })).status;
    },
  };
}

test("§9 tries whose answer is lost never turn the rightful owner away", async () => {
  const { claim, faults, close } = await openFaultyWorld();
  faults.reserve = "answer lost";
  for (let n = 0; n < 20; n++) expect(await claim()).toBe(503);
  faults.reserve = undefined;
  expect(await claim()).toBe(200);
  await close();
});

test("§9 a right code is right, though its try can't be given back yet", async () => {
  const { claim, faults, close } = await openFaultyWorld();
  faults.refund = "lost";
  // Five right ones stay counted: the budget is spent.
  for (let n = 0; n < 5; n++) expect(await claim()).toBe(200);
  expect(await claim()).toBe(429);
  faults.refund = undefined;
  await vi.advanceTimersByTimeAsync(4_000);
  for (let n = 0; n < 6; n++) expect(await claim()).toBe(200);
  expect(vi.getTimerCount()).toBe(0);
  await close();
});

test("§9 a try that comes to count after it was given back is given back again", async () => {
  const { claim, faults, arriveLate, close } = await openFaultyWorld();
  faults.reserve = "late";
  for (let n = 0; n < 20; n++) expect(await claim()).toBe(503);
  faults.reserve = undefined;
  await arriveLate();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await claim()).toBe(200);
  await close();
});

test("§9 wrong codes count, whatever is lost afterwards; a store that is gone is not asked for ever", async () => {
  const { claim, clock, faults, close } = await openFaultyWorld();
  faults.refund = "lost";
  expect(await claim()).toBe(200);
  for (let n = 0; n < 4; n++) expect(await claim("WRONG-CODE")).toBe(401);
  expect(await claim("WRONG-CODE")).toBe(429);
  clock.advance(3_600_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(vi.getTimerCount()).toBe(0);
  await close();
});
