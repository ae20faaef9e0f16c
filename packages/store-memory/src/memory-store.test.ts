import { describeStoreConformance } from "@device-gateway/testing";
import { createMemoryState } from "./memory-state.js";
import { createMemoryStore } from "./memory-store.js";

describeStoreConformance("the memory store", {
  open: async () => {
    const state = createMemoryState();
    return {
      handles: [createMemoryStore(state), createMemoryStore(state)],
      dispose: async () => {},
    };
  },
});
