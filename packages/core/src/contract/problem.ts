import { z } from "zod";

/**
 * Every error that the API can give: its HTTP status, and the sentence that says what to do next.
 * Codes are stable: clients branch on them (contract §0).
 */
export const problems = {
  malformed_json: {
    status: 400,
    detail: "The body is not valid JSON in UTF-8. Correct it and send it again.",
  },
  invalid_request: {
    status: 400,
    detail: "The request does not fit the API's schema. Correct the fields listed in `errors`.",
  },
  claim_code_required: {
    status: 400,
    detail: "This claim needs the device's claim code. Send it as claimCode.",
  },
  device_secret_required: {
    status: 400,
    detail: "This device has no claim code. Send its deviceSecret in place of it.",
  },
  unknown_signing_key: {
    status: 400,
    detail:
      "The server has no public key of this signingKeyId. Sign with a key that it has, or add the public key to its settings.",
  },
  invalid_signature: {
    status: 400,
    detail:
      "The signature does not fit the four lines version, targetHardware, releasedAt and sha256. Sign exactly those, joined by newlines without one at the end.",
  },
  image_mismatch: {
    status: 400,
    detail:
      "These bytes are not the image that the release was signed for: the size or SHA-256 differs. Upload that very file.",
  },
  upload_incomplete: {
    status: 400,
    detail: "The body broke off, or nothing came for a minute. Send the whole of it again.",
  },
  unauthorized: {
    status: 401,
    detail: "The bearer token is missing, malformed, expired or revoked. Log in for a fresh one.",
  },
  invalid_credentials: {
    status: 401,
    detail: "deviceId and deviceSecret do not match a registered device. Check both, or register.",
  },
  invalid_claim: {
    status: 401,
    detail: "deviceId and code do not match a registered device. Check both on the device's label.",
  },
  email_not_verified: {
    status: 403,
    detail: "Your e-mail address is not verified. Follow the link in the mail, then try again.",
  },
  forbidden: {
    status: 403,
    detail: "This needs the role of an operator. Ask one, or sign in as one.",
  },
  not_owner: {
    status: 403,
    detail: "Only the owner of the device may do this. Ask them, or claim it once it is released.",
  },
  cross_site: {
    status: 403,
    detail:
      "A request by cookie must come from the dashboard's own origin. Send it from there, or with a bearer token.",
  },
  device_not_admitted: {
    status: 403,
    detail: "This device is not admitted here. Ask the operator to admit it.",
  },
  device_not_found: {
    status: 404,
    detail: "You have no device with this id. Check the id, or claim the device.",
  },
  release_not_found: {
    status: 404,
    detail:
      "There is no such release for you. Check the id; a device gets active releases of its own hardware alone.",
  },
  not_found: {
    status: 404,
    detail: "There is nothing at this path. Compare it with the API's openapi.json.",
  },
  method_not_allowed: {
    status: 405,
    detail: "This path does not answer that method. Use one that the Allow header lists.",
  },
  device_already_registered: {
    status: 409,
    detail:
      "A device with this deviceId is registered. Log in with its deviceSecret, or ask its owner to open a re-enrolment window.",
  },
  idempotency_key_reused: {
    status: 409,
    detail:
      "This Idempotency-Key was used with another body in the last 24 hours. Send a new key, or the first body again.",
  },
  already_claimed: {
    status: 409,
    detail: "Somebody else owns this device. They can release it; then claim it again.",
  },
  release_exists: {
    status: 409,
    detail:
      "This version for this hardware is there with another image. Give the new image a version of its own.",
  },
  release_withdrawn: {
    status: 409,
    detail: "The release is withdrawn for good. Publish another version.",
  },
  illegal_transition: {
    status: 409,
    detail:
      "A release goes from draft to active, from active to paused and back, and from any to withdrawn. Look at its status, and ask for one that follows it.",
  },
  image_missing: {
    status: 409,
    detail: "The release has neither its image nor an externalUrl. Upload the image first.",
  },
  precondition_failed: {
    status: 412,
    detail:
      "It was changed since you read it. Read it again, and repeat your change if it still fits.",
  },
  payload_too_large: {
    status: 413,
    detail: "The body is larger than this route accepts. Send less at a time.",
  },
  unsupported_media_type: {
    status: 415,
    detail:
      "The body must be of the type that this route takes (JSON in UTF-8, or an image's bytes), without content encoding. Change the Content-Type.",
  },
  range_not_satisfiable: {
    status: 416,
    detail:
      "The range lies beyond the image's end, which Content-Range tells. Ask for another, or for all of it.",
  },
  too_many_requests: {
    status: 429,
    detail: "Too many requests. Wait for the seconds that Retry-After gives, then go on.",
  },
  too_many_attempts: {
    status: 429,
    detail: "Too many wrong codes. Wait for the seconds that Retry-After gives, then try again.",
  },
  internal: {
    status: 500,
    detail: "Something went wrong here. Report the requestId if it keeps happening.",
  },
  unavailable: {
    status: 503,
    detail: "The service can't take this now. Repeat it after the seconds that Retry-After gives.",
  },
} as const satisfies Record<string, { status: number; detail: string }>;

export type ErrorCode = keyof typeof problems;

/** One thing wrong with one field of a request. */
export const FieldError = z.object({
  path: z.string().meta({ description: "Where: names and indexes, joined by dots." }),
  code: z.string(),
  message: z.string(),
});
export type FieldError = z.infer<typeof FieldError>;

/** The body of every error: RFC 9457, and what field clients read (contract §0). */
export const Problem = z.object({
  type: z.literal("about:blank"),
  title: z.string().meta({ description: "The phrase of the HTTP status." }),
  status: z.int(),
  detail: z.string().meta({ description: "What went wrong and what to do next." }),
  code: z
    .enum(Object.keys(problems) as [ErrorCode, ...ErrorCode[]])
    .meta({ description: "Stable name of the error: branch on this." }),
  error: z.string().meta({ description: "A human sentence, for clients that read `error`." }),
  requestId: z.string(),
  errors: z.array(FieldError).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** What a route with a JSON body can give before its handler is asked. */
export const jsonBodyErrors = [
  "malformed_json",
  "invalid_request",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];

/** What any route can give. */
export const alwaysErrors = ["internal", "unavailable"] as const satisfies readonly ErrorCode[];
