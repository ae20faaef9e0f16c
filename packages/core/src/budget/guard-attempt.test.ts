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

/** What happens to a call: the request is lost, its response is lost, or the request arrives late. */
type Fault = "lost" | "response lost" | "late" | undefined;

async function openFaultyWorld() {
  const store = createMemoryStore();
  const faults: { reserve: Fault; refund: Fault } = { reserve: undefined, refund: undefined };
  const lateCalls: (() => Promise<unknown>)[] = [];
  const withFault = async <Outcome>(fault: Fault, call: () => Promise<Outcome>) => {
    if (fault === undefined) return call();
    if (fault === "response lost") await call();
    if (fault === "late") lateCalls.push(call);
    throw new StoreUnavailableError("The database is unavailable.");
  };
  const budgets: BudgetStore = {
    ...store.budgets,
    reserve: (input) => withFault(faults.reserve, () => store.budgets.reserve(input)),
    refund: (id) => withFault(faults.refund, () => store.budgets.refund(id)),
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
      for (const call of lateCalls.splice(0)) await call();
    },
    claim: async (claimCode = "ABCD-EFGH") => {
      const body = { deviceId: "gw-1", claimCode };
      return (await world.call("claimDevice", { token, body })).status;
    },
  };
}

test("§9 attempts whose response is lost never lock the owner out", async () => {
  const { claim, faults, close } = await openFaultyWorld();
  faults.reserve = "response lost";
  for (let n = 0; n < 20; n++) expect(await claim()).toBe(503);
  faults.reserve = undefined;
  expect(await claim()).toBe(200);
  await close();
});

test("§9 a correct code is accepted even if its attempt cannot be refunded yet", async () => {
  const { claim, faults, close } = await openFaultyWorld();
  faults.refund = "lost";
  // Five correct attempts stay counted, so the budget is spent.
  for (let n = 0; n < 5; n++) expect(await claim()).toBe(200);
  expect(await claim()).toBe(429);
  faults.refund = undefined;
  await vi.advanceTimersByTimeAsync(4_000);
  for (let n = 0; n < 6; n++) expect(await claim()).toBe(200);
  // The last refund may still be under way.
  await expect.poll(() => vi.getTimerCount()).toBe(0);
  await close();
});

test("§9 an attempt that is counted after its refund is refunded again", async () => {
  const { claim, faults, arriveLate, close } = await openFaultyWorld();
  faults.reserve = "late";
  for (let n = 0; n < 20; n++) expect(await claim()).toBe(503);
  faults.reserve = undefined;
  await arriveLate();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await claim()).toBe(200);
  await close();
});

test("§9 wrong codes count whatever fails afterwards, and refunds to an unavailable store end after an hour", async () => {
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
