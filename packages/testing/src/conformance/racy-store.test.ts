import { createMemoryState } from "@device-gateway/store-memory";
import { describe, expect, it } from "vitest";
import { oneOfEachSubject } from "../../../store-postgres/src/testing/one-of-each-subject.js";
import { createRacyStore } from "./racy-store.js";
import { runStoreCase, type StoreHarness, storeCases } from "./store-conformance.js";

const harness: StoreHarness = {
  open: async () => {
    const state = createMemoryState();
    return { handles: [createRacyStore(state), createRacyStore(state)], dispose: async () => {} };
  },
};

describe("a store that checks and then acts", () => {
  for (const storeCase of storeCases.filter(({ races }) => races)) {
    it(`fails: ${storeCase.name}`, async () => {
      const running = runStoreCase(storeCase, harness);
      await expect(running).rejects.toMatchObject({ name: "AssertionError" });
    });
  }
  for (const storeCase of oneOfEachSubject(storeCases.filter(({ races }) => !races))) {
    it(`passes without races: ${storeCase.name}`, async () => {
      await runStoreCase(storeCase, harness);
    });
  }
});

it("every case has a unique name", () => {
  const names = storeCases.map((storeCase) => storeCase.name);
  expect(names).toEqual([...new Set(names)]);
});
