export type { BufferError } from "./buffer/buffer-error.js";
export { type BufferStorage, createMemoryBuffer } from "./buffer/buffer-storage.js";
export type { BufferLimits } from "./buffer/telemetry-buffer.js";
export type { FlushError, FlushReport, TelemetryOutbox } from "./buffer/telemetry-outbox.js";
export type { Fetch } from "./call-route.js";
export type { ClientError } from "./client-error.js";
export type { CommandAnswer } from "./commands/command-journal.js";
export {
  type CommandContext,
  type CommandHandler,
  type Commands,
  type CommandsError,
  type CommandsOptions,
  createCommands,
  type RunCommand,
} from "./commands/create-commands.js";
export type { ConnectionOptions } from "./connection.js";
export {
  type CredentialStore,
  type Credentials,
  createMemoryCredentials,
} from "./device/credential-store.js";
export { createDevice, type Device, type DeviceOptions } from "./device/device.js";
export type { DeviceCall, DeviceCallError } from "./device/device-call.js";
export type { BufferedRecord, DeviceEvent, DropReason } from "./device/device-event.js";
export type { DeviceIdentity, SignInError } from "./device/sign-in.js";
export {
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
  type DeviceRouteName,
} from "./device-client.js";
export type { Random, RetryOptions, Sleep } from "./retry.js";
export type { Call, CallValue } from "./route-types.js";
export {
  type FollowError,
  type FollowOptions,
  followTelemetry,
  type LiveRecord,
} from "./user/follow-telemetry.js";
export {
  createUserClient,
  type UserClient,
  type UserClientOptions,
  type UserRouteName,
} from "./user/user-client.js";
export type { ApiRouteName } from "./wire-route.js";
