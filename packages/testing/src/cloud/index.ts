export type { CloudAddress } from "./cloud-server.js";
export type { PlantedUser } from "./cloud-users.js";
export { createTestCloud } from "./create-test-cloud.js";
export { ConnectionBrokenError, type Fault } from "./fault.js";
export type { FaultTimes } from "./fault-plan.js";
export {
  createReleaseSigner,
  type ReleaseKey,
  type ReleasePlan,
  type ReleaseSigner,
} from "./release-signer.js";
export type { SeenRequest } from "./seen-request.js";
export type { DevicePlan, PlantedDevice, TestCloud, TestCloudOptions } from "./test-cloud.js";
