export { type CertificateKind, certificateKinds } from "./cloud-certificates.js";
export type { CloudAddress } from "./cloud-server.js";
export type { CloudUserOptions } from "./cloud-users.js";
export { createTestCloud } from "./create-test-cloud.js";
export { ConnectionBrokenError, Fault } from "./fault.js";
export type { FaultTimes } from "./fault-plan.js";
export type { RecordedRequest } from "./recorded-request.js";
export type {
  CloudDevice,
  DeviceOptions,
  ReleaseKey,
  ReleaseOptions,
  TestCloud,
  TestCloudOptions,
} from "./test-cloud.js";
