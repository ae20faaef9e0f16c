export {
  type AlertAnswer,
  AlertCondition,
  type AlertRuleAnswer,
  type AlertRuleChanges,
  type NewAlertRule,
} from "./alert.js";
export { BulkAction, type BulkVerdict, maxBulkDevices } from "./bulk.js";
export { ClaimAnswer, ClaimRequest } from "./claim.js";
export {
  CommandName,
  CommandResult,
  DeviceCommand,
  DeviceCommands,
  SendCommandRequest,
  SentCommand,
} from "./command.js";
export { BaseSettings, DeviceConfig } from "./config.js";
export { DeviceConfigAnswer, DeviceSummary } from "./dashboard.js";
export type { ParsedRequest, RouteAnswer, RouteError, SentBytes, SentRequest } from "./derive.js";
export {
  DeviceHints,
  LoginAnswer,
  LoginRequest,
  RegisterAnswer,
  RegisterRequest,
} from "./device.js";
export { DeviceId, FirmwareVersion, Printable, Timestamp } from "./field.js";
export {
  FirmwareOffer,
  LatestFirmware,
  OfferExplanation,
  OtaState,
  OtaTargetRequest,
} from "./firmware-offer.js";
export { Aggregate, HistoryAnswer } from "./history.js";
export { type OpenApiOptions, toOpenApi } from "./openapi.js";
export { AuditEvent, OperatorDevice } from "./operator.js";
export { otaResultWords, stateOfWord } from "./ota-result-words.js";
export { type ErrorCode, FieldError, Problem, problems } from "./problem.js";
export { RefusalEntry } from "./refusal.js";
export {
  DashboardRelease,
  OperatorRelease,
  ReleaseChange,
  ReleaseRequest,
  ReleaseStatus,
  SignatureAlgorithm,
} from "./release.js";
export type {
  Caller,
  Operation,
  Route,
  RouteRequest,
  RouteResponse,
  ThrottleName,
} from "./route.js";
export { type RouteName, type Routes, routes } from "./routes.js";
export { type SignedFacts, signedLines } from "./signed-lines.js";
export {
  maxBatchRecords,
  RejectedRecord,
  RejectionCode,
  recordBounds,
  recordsOf,
  TelemetryAnswer,
  type TelemetryRecordBody,
  TelemetryRequest,
} from "./telemetry.js";
export { CommandAnswer, OtaHistoryEvent, UpdateCommand, UpdateEvent } from "./update.js";
export {
  importVerifyingKey,
  type Signature,
  type VerifyingKey,
  verifyRelease,
} from "./verify-signature.js";
