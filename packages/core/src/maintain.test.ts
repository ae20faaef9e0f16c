import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { generateSecrets } from "./auth/generate-secrets.js";
import { createGateway } from "./gateway.js";

const dayMs = 86_400_000;

/** Opens a gateway whose store notes some of the steps of maintenance. */
async function open() {
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  const done: string[] = [];
  store.telemetry.prune = async () => done.push("records");
  store.telemetry.pruneRollUps = async () => done.push("roll-ups");
  store.updates.prune = async () => done.push("updates");
  return { store, gateway, done };
}

test("a failed step of maintenance does not stop the others, and records that cannot be rolled up are kept for a week longer", async () => {
  const { store, gateway, done } = await open();
  const clock = Date.now();
  store.telemetry.prune = async ({ receivedBefore }) => {
    expect(receivedBefore).toBeLessThan(clock - 97 * dayMs);
    return done.push("records");
  };
  store.budgets.prune = () => Promise.reject(new Error("budgets"));
  store.telemetry.rollUp = () => Promise.reject(new Error("roll-up"));
  const failure = await gateway.maintain().catch((error: unknown) => error);
  const errors = ["budgets", "roll-up", "roll-up"].map((text) => new Error(text));
  expect((failure as AggregateError).errors).toEqual(errors);
  expect(done).toEqual(["records", "roll-ups", "updates"]);
});

test("old records are deleted even if newer ones cannot be rolled up, and before newer ones are", async () => {
  const { store, gateway, done } = await open();
  const rolledUpBefore: number[] = [];
  store.telemetry.rollUp = async ({ before }) => {
    rolledUpBefore.push(before);
    if (before > Date.now() - dayMs) throw new Error("roll-up");
    return { built: 0, more: false };
  };
  store.telemetry.prune = async ({ receivedBefore }) => {
    // A timestamp may be five minutes later than the receipt, and its hour ends within an hour.
    expect(rolledUpBefore[0]).toBeGreaterThan(receivedBefore + 65 * 60_000);
    return done.push("records");
  };
  await expect(gateway.maintain()).rejects.toThrow("roll-up");
  expect(done).toEqual(["records", "roll-ups", "updates"]);
  expect(rolledUpBefore).toHaveLength(2);
});
