import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";
import { createFakeClock, sampleSecurityEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { generateSecrets } from "./auth/generate-secrets.js";
import { createGateway } from "./gateway.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

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

/** Writes a row into the data of a store. Returns a function that counts the rows of its kind. */
type Write = (state: MemoryState, at: number) => () => number;

const writeCommand: Write = ({ commands }, at) => {
  commands.set("gw-1", [
    {
      ...{ commandId: "c-1", deviceId: "gw-1", name: "blink", payload: {}, sentBy: "alice" },
      ...{ sentAt: at, key: null, expiresAt: at, answerWithinMs: 1, state: "expired" },
      ...{ deliveredAt: null, dueAt: null, endedAt: at, answer: null, answeredAt: null },
    },
  ]);
  return () => commands.size;
};

const writeOtaEvent: Write = ({ otaEvents }, at) => {
  otaEvents.push({
    ...{ id: 1, createdAt: at, deviceId: "gw-1", source: "device", state: "failed" },
    ...{ offeredVersion: null, fromVersion: "1.0.0", lastResult: "failed", progress: null },
    ...{ lastCheckSucceeded: null, updateAvailable: null, updateApplied: null, message: null },
  });
  return () => otaEvents.length;
};

const writeClearedAlert: Write = ({ alerts }, at) => {
  alerts.set("a-1", {
    ...{ id: "a-1", ruleId: "r-1", ownerId: "alice", subject: "gw-1", deviceId: "gw-1" },
    ...{ firedAt: at, clearedAt: at, acknowledgedAt: null, acknowledgedBy: null },
    ...{ mutedUntil: null, remindedAt: null, details: {} },
  });
  return () => alerts.size;
};

const writeAttempt: Write = ({ attempts }, at) => {
  attempts.set("try-1", { at, keys: ["claim:fleet"] });
  return () => attempts.size;
};

const writeChange: Write = ({ changes }, at) => {
  changes.push({ id: 1, deviceId: "gw-1", at });
  return () => changes.length;
};

const writePresence: Write = ({ events }, at) => {
  events.push({ ...sampleSecurityEvent("gw-1", "device.online"), at, id: 1 });
  return () => events.length;
};

test.each<[string, number, Write]>([
  ["an ended command", 30 * dayMs, writeCommand],
  ["an OTA event", 365 * dayMs, writeOtaEvent],
  ["a cleared alert", 365 * dayMs, writeClearedAlert],
  ["an attempt in a budget", hourMs, writeAttempt],
  ["a change in the feed", hourMs, writeChange],
  ["an event outside the audit trail", 30 * dayMs, writePresence],
])(
  "§9 maintenance keeps %s until its retention ends, and then deletes it",
  async (_, keptMs, write) => {
    const state = createMemoryState();
    const clock = createFakeClock();
    const store = createMemoryStore(state);
    const gateway = await createGateway({ store, clock, secrets: generateSecrets() });
    const count = write(state, clock.now());
    clock.advance(keptMs);
    await gateway.maintain();
    expect(count()).toBe(1);
    clock.advance(1);
    await gateway.maintain();
    expect(count()).toBe(0);
  },
);
