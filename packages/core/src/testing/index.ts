export { type ArtifactHarness, describeArtifactConformance } from "./artifact-conformance.js";
export {
  eventOf,
  eventsOf,
  registered,
  sampleDevice,
  sampleEvent,
  sampleOnce,
  sampleOwned,
  sampleRecord,
  sampleTime,
  valuesOf,
} from "./conformance/samples.js";
export type { StoreCase, StoreHandles } from "./conformance/store-case.js";
export { createFakeClock, type FakeClock } from "./fake-clock.js";
export { fieldHeartbeat, fieldRecord } from "./field-records.js";
export { describeGrowth } from "./growth/describe-growth.js";
export { createMemoryState, type MemoryState } from "./memory/memory-state.js";
export { createMemoryArtifactStore } from "./memory-artifact-store.js";
export { createMemoryStore } from "./memory-store.js";
export { createRacyStore } from "./racy-store.js";
export { createReleaseSigner, type ReleaseSigner } from "./release-signer.js";
export { factsOf, sampleImage } from "./sample-image.js";
export { createSeededRandom } from "./seeded-random.js";
export {
  describeStoreConformance,
  runStoreCase,
  type SkippedCase,
  type StoreHarness,
  storeCases,
} from "./store-conformance.js";
export { nearestDouble, trueSum } from "./true-sum.js";
export { describeWire } from "./wire/describe-wire.js";
export { serveInProcess } from "./wire/serve-in-process.js";
export {
  openWireWorld,
  registration,
  type WireReply,
  type WireRequest,
  type WireServer,
  type WireSetup,
  type WireUser,
  type WireWorld,
} from "./wire/wire-world.js";
