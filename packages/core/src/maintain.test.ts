import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { generateSecrets } from "./auth/generate-secrets.js";
import { createGateway } from "./gateway.js";

test("a failed step of maintenance does not stop the others, and records are not deleted before they are rolled up", async () => {
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  const done: string[] = [];
  store.budgets.prune = () => Promise.reject(new Error("budgets"));
  store.telemetry.rollUp = () => Promise.reject(new Error("roll-up"));
  store.telemetry.prune = async () => done.push("records");
  store.telemetry.pruneRollUps = async () => done.push("roll-ups");
  store.updates.prune = async () => done.push("updates");
  const failure = await gateway.maintain().catch((error: unknown) => error);
  expect((failure as AggregateError).errors).toEqual([new Error("budgets"), new Error("roll-up")]);
  expect(done).toEqual(["roll-ups", "updates"]);
});
