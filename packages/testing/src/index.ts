export {
  type ArtifactHarness,
  describeArtifactConformance,
} from "./conformance/ota/artifact-conformance.js";
export { sampleRelease } from "./conformance/ota/firmware-release-conformance.js";
export { createRacyStore } from "./conformance/racy-store.js";
export {
  readRecordValues,
  readSecurityEvents,
  registerSampleDevice,
  sampleAppendOnce,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "./conformance/samples/samples.js";
export type { StoreCase, StoreHandles } from "./conformance/samples/store-case.js";
export {
  describeStoreConformance,
  runStoreCase,
  type SkippedCase,
  type StoreHarness,
  storeCases,
} from "./conformance/store-conformance.js";
export {
  describeShapeQuotas,
  type ShapeStorage,
} from "./conformance/telemetry/describe-shape-quotas.js";
export { exactSum, toNearestDouble } from "./fixtures/exact-sum.js";
export { createFakeClock, type FakeClock } from "./fixtures/fake-clock.js";
export { fieldHeartbeat, fieldRecord } from "./fixtures/field-records.js";
export { createReleaseSigner, type ReleaseSigner } from "./fixtures/release-signer.js";
export { sampleImage, toArtifactFacts } from "./fixtures/sample-image.js";
export { createSeededNumbers, createSeededRandom } from "./fixtures/seeded-random.js";
export { describeGrowth } from "./growth/describe-growth.js";
export { describeWire } from "./wire/describe-wire.js";
export { serveInProcess } from "./wire/world/serve-in-process.js";
export {
  openWireWorld,
  sampleRegistration,
  type WireReply,
  type WireRequest,
  type WireServer,
  type WireSetup,
  type WireUser,
  type WireWorld,
} from "./wire/world/wire-world.js";
