import type { GatewayStore } from "@device-gateway/core/store";
import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";
import { describe, expect, it } from "vitest";
import { createRacyStore } from "./racy-store.js";
import {
  describeStoreConformance,
  runStoreCase,
  type StoreHarness,
  storeCases,
} from "./store-conformance.js";

const harnessOf = (createStore: (state: MemoryState) => GatewayStore): StoreHarness => ({
  open: async () => {
    const state = createMemoryState();
    return { handles: [createStore(state), createStore(state)], dispose: async () => {} };
  },
});

describeStoreConformance("the memory store", harnessOf(createMemoryStore));

describe("the suite rejects a store that checks, then acts", () => {
  for (const storeCase of storeCases) {
    if (storeCase.races) {
      it(storeCase.name, async () => {
        const running = runStoreCase(storeCase, harnessOf(createRacyStore));
        await expect(running).rejects.toMatchObject({ name: "AssertionError" });
      });
    } else {
      it(`for its races alone: ${storeCase.name}`, async () => {
        await runStoreCase(storeCase, harnessOf(createRacyStore));
      });
    }
  }
});

it("names every case once", () => {
  const names = storeCases.map((storeCase) => storeCase.name);
  expect(names).toEqual([...new Set(names)]);
});
