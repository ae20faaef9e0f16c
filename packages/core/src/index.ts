export { type CodeOperations, codeOperations } from "./api/code-operations.js";
export type {
  CallAnswer,
  CallFailure,
  CallOptions,
  CallRequest,
  GatewayApi,
} from "./api/gateway-api.js";
export {
  anyone,
  customer,
  device,
  operator,
  type Principal,
  type PrincipalKind,
} from "./api/principal.js";
export { type Publication, publishRelease } from "./api/publish-release.js";
export { readMetadata } from "./api/read-metadata.js";
export { WrongSecretsError } from "./auth/check-secrets.js";
export { generateSecrets } from "./auth/generate-secrets.js";
export { GatewaySecrets, type TokenKey } from "./auth/secrets.js";
export type { Command, CommandAnswer, CommandState } from "./commands/command.js";
export type { CommandAnswered } from "./commands/command-answered.js";
export type { CommandOptions } from "./commands/command-options.js";
export {
  decideRegistration,
  type RegistrationFacts,
  type RegistrationPolicy,
} from "./device/decide-registration.js";
export type { Device } from "./device/device.js";
export type { FollowEvents, FollowedEvent, FollowOptions } from "./events/follow-events.js";
export type {
  AnnouncedEvent,
  AnnouncedKind,
  GatewayEventKind,
  GatewayEventListener,
  GatewayEvents,
  TelemetryReceived,
} from "./events/gateway-event.js";
export type {
  CodeRefused,
  FaultCause,
  Observation,
  RequestAnswered,
  StoreFailed,
  TelemetryJudged,
} from "./events/observation.js";
export { createGateway, type Gateway } from "./gateway.js";
export type { ConfigOptions, GatewayOptions } from "./gateway-options.js";
export type {
  BeforeClaim,
  BeforeHooks,
  BeforePublish,
  BeforeRegister,
  BeforeRelease,
  Refusal,
} from "./hooks/before-hooks.js";
export {
  type FetchHandler,
  type FetchHandlerOptions,
  toFetchHandler,
} from "./http/fetch-handler.js";
export { renderFailure } from "./http/render.js";
export { BrokenBodyError } from "./http/request/broken-body-error.js";
export {
  bunAddress,
  type ClientAddress,
  denoAddress,
  forwardedForAddress,
  headerAddress,
} from "./http/request/client-address.js";
export { ClientGoneError } from "./http/request/client-gone-error.js";
export {
  createRouteMatcher,
  type MatchOutcome,
  type RouteMatch,
  type RouteMatcher,
} from "./http/request/match-route.js";
export type { GatewayRequest, GatewayResponse, JsonBody, Piece } from "./http/request/message.js";
export { isSameOrigin } from "./http/request/same-origin.js";
export { Limits } from "./limits.js";
export type { MaintenanceReport } from "./maintain.js";
export type { MetadataKey, MetadataOptions } from "./metadata/metadata-options.js";
export type { MetricOptions } from "./metrics/metric-options.js";
export {
  createOpenTelemetryTracer,
  type OpenTelemetryApi,
} from "./observe/open-telemetry-tracer.js";
export type { FleetLevels, GatewayLevels } from "./observe/read-levels.js";
export type { TracedAnswer, TracedRequest, Tracer } from "./observe/tracer.js";
export type {
  ArtifactFacts,
  ArtifactStore,
  WriteArtifactOutcome,
} from "./ota/release/artifact-store.js";
export type { FirmwareKey, FirmwareOptions } from "./ota/release/firmware-options.js";
export type { UpdateMoved } from "./ota/update/update-moved.js";
export { type Clock, systemClock } from "./ports/clock.js";
export { type Digest, portableDigest } from "./ports/digest.js";
export type { GatewayStore } from "./ports/gateway-store.js";
export { type LogFields, type Logger, silentLogger } from "./ports/logger.js";
export { portableSlowHash } from "./ports/portable-slow-hash.js";
export { type Random, systemRandom } from "./ports/random.js";
export { type ScryptCost, type SlowHash, SlowHashBusyError } from "./ports/slow-hash.js";
export type { Throttle, ThrottleDraw, ThrottleOutcome } from "./ports/throttle.js";
export type { JsonObject, JsonValue } from "./shared/json.js";
export type { RebuildRange, RebuildReport } from "./telemetry/rebuild-roll-ups.js";
export { createAddressRanges } from "./throttle/address-ranges.js";
export { createTokenBucketThrottle } from "./throttle/token-bucket-throttle.js";
export { bearerTokenOf } from "./user/bearer-token.js";
export type { CustomerAuthenticator } from "./user/customer-authenticator.js";
export {
  createJwtAuthenticator,
  type IssuerKey,
  type IssuerKeys,
  type JwtAuthenticatorOptions,
  type TokenClaims,
} from "./user/jwt-authenticator.js";
export type {
  Session,
  SessionAuthenticator,
  SessionRequest,
} from "./user/session-authenticator.js";
export type { User } from "./user/user.js";
export type {
  InvalidWebhook,
  WebhookChange,
  WebhookChanges,
  WebhookManager,
  WebhookView,
} from "./webhooks/webhook-manager.js";
