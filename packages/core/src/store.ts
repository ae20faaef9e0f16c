export {
  type Alert,
  type AlertNotification,
  type AlertNotificationKind,
  fleetSilenceRule,
  fleetSilenceSubject,
} from "./alert/alert.js";
export type { AlertCondition, AlertRule } from "./alert/alert-rule.js";
export type {
  AlertStore,
  AlertTransition,
  AlertWatch,
  ChangeAlertOutcome,
  CreateRuleOutcome,
  DueDevice,
  DuePage,
  JudgeOutcome,
  RemoveRuleOutcome,
  ReplaceRuleOutcome,
} from "./alert/alert-store.js";
export {
  activityKinds,
  auditKinds,
  eventKinds,
  ownerEventKinds,
  type SecurityEvent,
  type SecurityEventKind,
} from "./audit/security-event.js";
export type {
  EventFilter,
  SecurityEventStore,
  StoredSecurityEvent,
} from "./audit/security-event-store.js";
export { isTransactionEvent, type TransactionEvent } from "./audit/transaction-event.js";
export type { Budget, BudgetStore, ReserveOutcome } from "./budget/budget-store.js";
export type { ChangeFeed, ChangesOutcome, IsUnread } from "./change/change-feed.js";
export { releasesInFeed, toFeedChanges } from "./change/feed-changes.js";
export type {
  AssignOutcome,
  ClaimOutcome,
  ClaimStore,
  ReleaseOutcome,
} from "./claim/claim-store.js";
export { type CoalesceOptions, coalesce } from "./coalesce.js";
export type { Command, CommandAnswer, CommandState } from "./commands/command.js";
export type {
  CancelCommandOutcome,
  CommandKey,
  CommandStore,
  SendCommandOutcome,
  UpdateAnswer,
} from "./commands/command-store.js";
export type { ConfigStore, ReplaceOverridesOutcome } from "./config/config-store.js";
export {
  type MetricDescriptions,
  type OtaState,
  type ReleaseStatus,
  type SignatureAlgorithm,
  updateNow,
} from "./contract/index.js";
export type {
  ConfigOverrides,
  Credential,
  Device,
  Ownership,
  PendingCredential,
} from "./device/device.js";
export type { DeviceProfile } from "./device/device-profile.js";
export type {
  DeviceStore,
  OwnedChange,
  RecordOutcome,
  RegisterOutcome,
  RotateOutcome,
  SearchKey,
  SearchPlace,
} from "./device/device-store.js";
export { lastRegisteredAt } from "./device/last-registered-at.js";
export type { FollowerStore } from "./followers/follower-store.js";
export type {
  DeviceMetadata,
  MetadataStore,
  ReplaceMetadataOutcome,
} from "./metadata/metadata-store.js";
export type { MetricStore } from "./metrics/metric-store.js";
export {
  type CurrentUpdate,
  type DeviceOta,
  newDeviceOta,
  newStanding,
  type OtaStanding,
  type ReleaseBlock,
  type UpdateCommand,
  waitingRequest,
} from "./ota/offer/device-ota.js";
export type {
  ArtifactFacts,
  ArtifactStore,
  WriteArtifactOutcome,
} from "./ota/release/artifact-store.js";
export { failsTooOften, newTally, type RolloutTally } from "./ota/release/judge-rollout.js";
export { haltRelease, holdsItsVersion, type Release, toHaltEvent } from "./ota/release/release.js";
export type {
  ChangeReleaseOutcome,
  CreateReleaseOutcome,
  NewRelease,
  ReleaseChanges,
  ReleaseStore,
} from "./ota/release/release-store.js";
export { advanceUpdate, type UpdateFacts, type UpdateStep } from "./ota/update/advance-update.js";
export {
  type DeviceUpdate,
  isUnderWay,
  type UpdateOutcome,
} from "./ota/update/device-update.js";
export type { UpdateReport } from "./ota/update/move-update.js";
export type { OtaEvent, OtaSource } from "./ota/update/ota-event.js";
export type { OtaEventStore, StoredOtaEvent } from "./ota/update/ota-event-store.js";
export { toMoveEvent, type UpdateMoved } from "./ota/update/update-moved.js";
export type { UpdateRules } from "./ota/update/update-rules.js";
export type {
  OverdueUpdate,
  ReportInput,
  ReportOutcome,
  UpdateStore,
} from "./ota/update/update-store.js";
export type { CellPort, CellStore } from "./ports/cell-port.js";
export { type Clock, mostAheadMs } from "./ports/clock.js";
export type { GatewayReads, GatewayStore } from "./ports/gateway-store.js";
export type { LogFields, Logger } from "./ports/logger.js";
export { StoreUnavailableError } from "./ports/store-unavailable-error.js";
export type { NewRefusal, RefusalStore } from "./refusal/refusal-store.js";
export type { TelemetryRefusal } from "./refusal/telemetry-refusal.js";
export {
  aggregateRange,
  bytesPerTurn,
  type RangeReader,
  recordBytes,
} from "./rows/aggregate-range.js";
export {
  type AlertNotificationRow,
  type AlertPage,
  type AlertRow,
  type AlertRuleRow,
  type AlertWatchRow,
  alertColumns,
  notificationColumns,
  toAlert,
  toAlertPage,
  toAlertRow,
  toAlertRule,
  toAlertRuleRow,
  toNotificationRow,
  toNotifications,
  toWatch,
  toWatchRow,
  watchColumns,
} from "./rows/alert-row.js";
export {
  type CommandRow,
  commandColumnNames,
  toCommand,
  toCommandRow,
} from "./rows/command-row.js";
export {
  type ActivityRow,
  type DeviceRow,
  deviceColumns,
  type PendingRow,
  type ProfileRow,
  pendingColumns,
  profileColumns,
  setColumns,
  toActivityRow,
  toDevice,
  toDeviceRow,
  toPendingRow,
  toProfileRow,
} from "./rows/device-row.js";
export { fromHourText, readHour, toHourText } from "./rows/hour-text.js";
export {
  type Flag,
  type OtaRow,
  otaColumns,
  type StandingRow,
  toStanding,
  toStandingRow,
} from "./rows/ota-row.js";
export { createRecordAggregator, type RecordRow, type RowRange } from "./rows/record-row.js";
export { releaseColumnNames } from "./rows/release-row.js";
export { fromTextContent, type RowContent, toTextContent } from "./rows/row-content.js";
export {
  isUnderWaySql,
  toUpdate,
  toUpdateRow,
  type UpdateRow,
  updateColumnNames,
} from "./rows/update-row.js";
export {
  type DeliveryRow,
  toDeliveryRow,
  toFollowerPrefix,
  toWebhook,
  toWebhookRow,
  type WebhookRow,
} from "./rows/webhook-row.js";
export { type BoundedCache, createBoundedCache } from "./shared/bounded-cache.js";
export { compareBytes } from "./shared/compare-bytes.js";
export { dayMs, hourMs } from "./shared/durations.js";
export { canonicalJson, type JsonObject, type JsonValue } from "./shared/json.js";
export { nextTurn } from "./shared/next-turn.js";
export { createPacer, type Pacer } from "./shared/pacer.js";
export { createStoreCalls, type StoreCalls } from "./store-calls.js";
export {
  type BucketAggregator,
  createBucketAggregator,
  type MetricBucket,
} from "./telemetry/bucket.js";
export { flattenLeaves, type Leaf } from "./telemetry/flatten-leaves.js";
export { flattenRecord } from "./telemetry/flatten-record.js";
export { fromFollowCursor, toFollowCursor } from "./telemetry/follow-cursor.js";
export { bucketStart } from "./telemetry/interval.js";
export type { Metric } from "./telemetry/metric.js";
export { createSelector, type MetricSelection } from "./telemetry/metric-selection.js";
export { packVerdicts, unpackVerdicts } from "./telemetry/pack-verdicts.js";
export { readLeaves } from "./telemetry/packing/leaf-reader.js";
export {
  type PackedBuckets,
  packBuckets,
  unpackBuckets,
} from "./telemetry/packing/packed-buckets.js";
export {
  createMetricReader,
  type MetricReader,
  type RecordShape,
  toRecordShape,
} from "./telemetry/packing/record-shape.js";
export {
  createSampleReader,
  type MetricRow,
  type SampleReader,
} from "./telemetry/packing/sample-reader.js";
export { shapeBounds } from "./telemetry/packing/shape-bounds.js";
export {
  createShapeCache,
  type PackedRecord,
  type ShapeCache,
} from "./telemetry/packing/shape-cache.js";
export { skeletonOf } from "./telemetry/packing/skeleton.js";
export {
  createWeightedCache,
  type WeightedCache,
} from "./telemetry/packing/weighted-cache.js";
export { recordAheadMs } from "./telemetry/record-times.js";
export {
  createRollUpPasses,
  type DeviceHour,
  type HoursOutcome,
} from "./telemetry/roll-up-pass.js";
export {
  comparedRecords,
  countBytes,
  digestContent,
  longestSameContent,
  sameContent,
} from "./telemetry/same-content.js";
export type {
  AggregateQuery,
  AppendInput,
  AppendOnce,
  AppendOutcome,
  AppendVerdict,
  FollowedPage,
  FollowedRecord,
  MetricPage,
  MetricSample,
  OtaReport,
  RecordLeaves,
  RecordPlace,
  RecordRange,
  ReopenOutcome,
  RollUpOutcome,
  StoredTelemetryRecord,
  TelemetryReads,
  TelemetryRecord,
  TelemetryStore,
} from "./telemetry/telemetry-store.js";
export type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookFilter,
} from "./webhooks/webhook.js";
export type { WebhookRecord, WebhookStore } from "./webhooks/webhook-store.js";
