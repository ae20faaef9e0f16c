export { createMemoryState, type MemoryState } from "./memory-state.js";
export { createMemoryStore } from "./memory-store.js";
export { createMemoryArtifactStore } from "./ota/memory-artifact-store.js";
