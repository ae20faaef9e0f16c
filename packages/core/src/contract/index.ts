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
  updateNow,
} from "./command.js";
export { BaseSettings, DeviceConfig } from "./config.js";
export { type ConfigHistoryEntry, DeviceConfigAnswer, DeviceSummary } from "./dashboard.js";
export { describeMetric, toGeneralName } from "./describe-metric.js";
export {
  DeviceHints,
  LoginAnswer,
  LoginRequest,
  RegisterAnswer,
  RegisterRequest,
} from "./device.js";
export {
  FirmwareOffer,
  LatestFirmware,
  OfferExplanation,
  OtaState,
  OtaTargetRequest,
} from "./firmware/firmware-offer.js";
export { otaResultWords, stateOfWord } from "./firmware/ota-result-words.js";
export {
  DashboardRelease,
  OperatorRelease,
  ReleaseChange,
  ReleaseRequest,
  ReleaseStatus,
  SignatureAlgorithm,
} from "./firmware/release.js";
export { type SignedFacts, signedLines } from "./firmware/signed-lines.js";
export { CommandAnswer, OtaHistoryEvent, UpdateCommand, UpdateEvent } from "./firmware/update.js";
export {
  importVerifyingKey,
  type Signature,
  type VerifyingKey,
  verifyRelease,
} from "./firmware/verify-signature.js";
export { Aggregate, HistoryAnswer } from "./history.js";
export {
  MetricDescription,
  MetricDescriptions,
  type MetricsAnswer,
  type MetricsPatch,
} from "./metric.js";
export { type OpenApiOptions, toOpenApi } from "./openapi/openapi.js";
export { AuditEvent, OperatorDevice } from "./operator.js";
export type {
  ParsedRequest,
  RouteAnswer,
  RouteError,
  SentBytes,
  SentRequest,
} from "./parts/derive.js";
export { DeviceId, FirmwareVersion, Printable, Timestamp } from "./parts/field.js";
export { type ErrorCode, FieldError, Problem, problems } from "./parts/problem.js";
export type {
  Caller,
  Operation,
  Route,
  RouteRequest,
  RouteResponse,
  ThrottleName,
} from "./parts/route.js";
export { RefusalEntry } from "./refusal.js";
export { type RouteName, type Routes, routes } from "./routes.js";
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
export type {
  NewWebhook,
  WebhookAnswer,
  WebhookAttemptAnswer,
  WebhookChangesRequest,
  WebhookFilterRequest,
  WebhookMessageAnswer,
} from "./webhook.js";
