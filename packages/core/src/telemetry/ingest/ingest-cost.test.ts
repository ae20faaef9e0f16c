import { expect, it } from "vitest";
import { createIngestCost } from "./ingest-cost.js";

const hourMs = 3_600_000;

it("counts metrics, and at least 16 for each stored or rejected record", () => {
  const cost = createIngestCost();
  cost.addStored(70, 0);
  cost.addStored(0, 1);
  cost.addRejected();
  expect(cost.tokens()).toBe(70 + 16 + 16);
});

it("counts each hour except the first, and each change of the OTA status", () => {
  const cost = createIngestCost();
  for (const hour of [5, 6, 5, 6, 7]) cost.addStored(20, hour * hourMs);
  cost.addOtaChanges(2);
  expect(cost.tokens()).toBe(5 * 20 + 2 * 100 + 2 * 200);
});
