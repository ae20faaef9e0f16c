export type { Fetch } from "./call-route.js";
export type { ClientError } from "./client-error.js";
export {
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
} from "./device-client.js";
