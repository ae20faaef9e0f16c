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

describe("a store that checks and then acts", () => {
  for (const storeCase of storeCases) {
    if (storeCase.races) {
      it(`fails: ${storeCase.name}`, async () => {
        const running = runStoreCase(storeCase, harnessOf(createRacyStore));
        await expect(running).rejects.toMatchObject({ name: "AssertionError" });
      });
    } else {
      it(`passes without races: ${storeCase.name}`, async () => {
        await runStoreCase(storeCase, harnessOf(createRacyStore));
      });
    }
  }
});

it("every case has a unique name", () => {
  const names = storeCases.map((storeCase) => storeCase.name);
  expect(names).toEqual([...new Set(names)]);
});
