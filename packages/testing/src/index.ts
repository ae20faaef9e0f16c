export {
  type ArtifactHarness,
  describeArtifactConformance,
} from "./conformance/artifact-conformance.js";
export { sampleRelease } from "./conformance/firmware-release-conformance.js";
export { createRacyStore } from "./conformance/racy-store.js";
export {
  eventOf,
  eventsOf,
  registered,
  sampleDevice,
  sampleEvent,
  sampleOnce,
  sampleOwned,
  sampleRecord,
  sampleRules,
  sampleTime,
  valuesOf,
} from "./conformance/samples.js";
export type { StoreCase, StoreHandles } from "./conformance/store-case.js";
export {
  describeStoreConformance,
  runStoreCase,
  type SkippedCase,
  type StoreHarness,
  storeCases,
} from "./conformance/store-conformance.js";
export { createFakeClock, type FakeClock } from "./fixtures/fake-clock.js";
export { fieldHeartbeat, fieldRecord } from "./fixtures/field-records.js";
export { createReleaseSigner, type ReleaseSigner } from "./fixtures/release-signer.js";
export { factsOf, sampleImage } from "./fixtures/sample-image.js";
export { createSeededRandom } from "./fixtures/seeded-random.js";
export { nearestDouble, trueSum } from "./fixtures/true-sum.js";
export { describeGrowth } from "./growth/describe-growth.js";
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
