import { z } from "zod";

/**
 * Every error of the API, with its HTTP status and a sentence that says what is wrong and what to do next. Codes are
 * stable: clients branch on them (§0).
 */
export const problems = {
  malformed_json: {
    status: 400,
    detail: "The body is not valid JSON in UTF-8. Correct it and send it again.",
  },
  invalid_request: {
    status: 400,
    detail: "The request does not match the API's schema. Correct the fields that `errors` lists.",
  },
  claim_code_required: {
    status: 400,
    detail: "The device's claim code is missing. Send it as claimCode.",
  },
  device_secret_required: {
    status: 400,
    detail: "This device has no claim code. Send its deviceSecret instead.",
  },
  unknown_signing_key: {
    status: 400,
    detail:
      "The server has no public key with this signingKeyId. Sign with a key that the server has, or add the public key to its settings.",
  },
  invalid_signature: {
    status: 400,
    detail:
      "The signature does not match the four lines version, targetHardware, releasedAt and sha256. Sign exactly these lines, with a newline between them and none at the end.",
  },
  image_mismatch: {
    status: 400,
    detail:
      "These bytes are not the image that the release was signed for: the size or SHA-256 differs. Upload the signed image.",
  },
  upload_incomplete: {
    status: 400,
    detail:
      "The upload was interrupted, or no data arrived for a minute. Send the whole image again.",
  },
  unauthorized: {
    status: 401,
    detail: "The bearer token is missing, malformed, expired or revoked. Log in to get a new one.",
  },
  invalid_credentials: {
    status: 401,
    detail:
      "deviceId and deviceSecret do not match a registered device. Check both, or register the device.",
  },
  invalid_claim: {
    status: 401,
    detail: "deviceId and code do not match a registered device. Check both on the device's label.",
  },
  email_not_verified: {
    status: 403,
    detail:
      "Your e-mail address is not verified. Open the link in the verification e-mail, then try again.",
  },
  forbidden: {
    status: 403,
    detail: "Only an operator may do this. Sign in as an operator, or ask one.",
  },
  not_owner: {
    status: 403,
    detail:
      "Only the owner of the device may do this. Ask the owner, or claim the device after its release.",
  },
  cross_site: {
    status: 403,
    detail:
      "A request with a cookie must come from the dashboard's own origin. Send it from there, or use a bearer token.",
  },
  refused: {
    status: 403,
    detail: "A rule of this service refused the request. See `reason`.",
  },
  device_not_admitted: {
    status: 403,
    detail: "This service does not admit the device. Ask the operator to admit it.",
  },
  device_not_found: {
    status: 404,
    detail: "You have no device with this id. Check the id, or claim the device.",
  },
  release_not_found: {
    status: 404,
    detail:
      "You have no release with this id. Check the id. A device gets only active releases for its own hardware.",
  },
  command_not_found: {
    status: 404,
    detail: "The device has no such command. Check the id. Old commands are deleted.",
  },
  alert_rule_not_found: {
    status: 404,
    detail: "You have no alert rule with this id. List your rules to see their ids.",
  },
  alert_not_found: {
    status: 404,
    detail: "You have no alert with this id. List your alerts to see their ids.",
  },
  webhook_not_found: {
    status: 404,
    detail: "You have no webhook with this id. List your webhooks to see their ids.",
  },
  webhook_message_not_found: {
    status: 404,
    detail: "The webhook has no dead letter with this id. List its dead letters with state=dead.",
  },
  webhooks_not_enabled: {
    status: 404,
    detail:
      "This service sends no webhooks, or only those of operators. Ask its administrator to enable them.",
  },
  not_found: {
    status: 404,
    detail: "This path does not exist. Compare it with the paths in openapi.json.",
  },
  method_not_allowed: {
    status: 405,
    detail: "This path does not support the method. Use a method that the Allow header lists.",
  },
  device_already_registered: {
    status: 409,
    detail:
      "A device with this deviceId is already registered. Log in with its deviceSecret, or ask its owner to open a re-enrolment window.",
  },
  device_revoked: {
    status: 409,
    detail: "The device is revoked. Reinstate it first.",
  },
  command_not_pending: {
    status: 409,
    detail:
      "The command cannot be cancelled: the device may have received it, or it has ended. Read the command to see its state.",
  },
  too_many_commands: {
    status: 409,
    detail:
      "Too many commands of this device are open. Cancel some, or wait until they are answered or expire.",
  },
  idempotency_key_reused: {
    status: 409,
    detail:
      "This Idempotency-Key was already used with another body. Use a new key, or send the first body again.",
  },
  already_claimed: {
    status: 409,
    detail: "Another customer owns this device. Ask them to release it, then claim it again.",
  },
  release_exists: {
    status: 409,
    detail:
      "This version exists for this hardware with another image. Give the new image a new version.",
  },
  release_withdrawn: {
    status: 409,
    detail: "The release is withdrawn, which is final. Publish another version.",
  },
  too_many_alert_rules: {
    status: 409,
    detail: "You already have as many alert rules as allowed. Delete one first.",
  },
  too_many_webhooks: {
    status: 409,
    detail: "There are already as many webhooks as allowed. Delete one first.",
  },
  webhook_disabled: {
    status: 409,
    detail: "The webhook is disabled. Enable it first.",
  },
  illegal_transition: {
    status: 409,
    detail:
      "A release cannot change from its current status to this one. Allowed are: draft to active, active to paused and back, and any status to withdrawn.",
  },
  image_missing: {
    status: 409,
    detail: "The release has neither an image nor an externalUrl. Upload the image first.",
  },
  precondition_failed: {
    status: 412,
    detail:
      "The data has changed since you read it. Read it again, then repeat your change if it is still right.",
  },
  payload_too_large: {
    status: 413,
    detail: "The body is larger than this route accepts. Send a smaller one.",
  },
  unsupported_media_type: {
    status: 415,
    detail:
      "This route does not accept the body's type or content encoding. Send JSON in UTF-8 (or the raw bytes of an image) without encoding, and set Content-Type.",
  },
  range_not_satisfiable: {
    status: 416,
    detail:
      "The range starts after the end of the image. Content-Range contains the image's size. Request another range, or the whole image.",
  },
  too_many_requests: {
    status: 429,
    detail: "Too many requests. Wait for the number of seconds in Retry-After, then try again.",
  },
  too_many_attempts: {
    status: 429,
    detail: "Too many wrong codes. Wait for the number of seconds in Retry-After, then try again.",
  },
  internal: {
    status: 500,
    detail:
      "The server failed to handle the request. Try again. If it keeps failing, report the requestId.",
  },
  unavailable: {
    status: 503,
    detail:
      "The service cannot handle this request at the moment. Wait for the number of seconds in Retry-After, then try again.",
  },
} as const satisfies Record<string, { status: number; detail: string }>;

export type ErrorCode = keyof typeof problems;

/** A problem with one field of a request. */
export const FieldError = z.object({
  path: z.string().meta({ description: "Path of the field: names and indexes, joined by dots." }),
  code: z.string(),
  message: z.string(),
});
export type FieldError = z.infer<typeof FieldError>;

/** The body of every error: a problem document (RFC 9457) with the fields that field clients read (§0). */
export const Problem = z.object({
  type: z.literal("about:blank"),
  title: z.string().meta({ description: "The reason phrase of the HTTP status." }),
  status: z.int(),
  detail: z.string().meta({ description: "What is wrong and what to do next." }),
  code: z
    .enum(Object.keys(problems) as [ErrorCode, ...ErrorCode[]])
    .meta({ description: "Stable name of the error. Clients branch on it." }),
  error: z.string().meta({
    description:
      'The same as `detail`, or "Unauthorized" if `code` is `unauthorized`. Field clients read it.',
  }),
  requestId: z.string(),
  reason: z.string().optional().meta({
    description:
      "Why a rule of this service refused the request. Clients of this service branch on it.",
  }),
  errors: z.array(FieldError).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** The errors that a route with a JSON body can return before its handler is called. */
export const jsonBodyErrors = [
  "malformed_json",
  "invalid_request",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];

/** The errors that any route can return. */
export const alwaysErrors = ["internal", "unavailable"] as const satisfies readonly ErrorCode[];
