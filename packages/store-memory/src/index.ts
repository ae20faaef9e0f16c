export { createMemoryArtifactStore } from "./memory-artifact-store.js";
export { createMemoryState, type MemoryState } from "./memory-state.js";
export { createMemoryStore } from "./memory-store.js";
