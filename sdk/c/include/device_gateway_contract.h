/* Made by `pnpm generate` from the contract. Do not edit. */
#ifndef DEVICE_GATEWAY_CONTRACT_H
#define DEVICE_GATEWAY_CONTRACT_H

/* Routes for devices, below the base path. `:name` is a parameter. */
#define DG_BASE_PATH "/api/v1"
#define DG_REGISTER_DEVICE_METHOD "POST"
#define DG_REGISTER_DEVICE_PATH "/device/register"
#define DG_LOGIN_DEVICE_METHOD "POST"
#define DG_LOGIN_DEVICE_PATH "/device/login"
#define DG_SEND_TELEMETRY_METHOD "POST"
#define DG_SEND_TELEMETRY_PATH "/telemetry"
#define DG_READ_CONFIG_METHOD "GET"
#define DG_READ_CONFIG_PATH "/device/config"
#define DG_DOWNLOAD_FIRMWARE_METHOD "GET"
#define DG_DOWNLOAD_FIRMWARE_PATH "/ota/firmware/:releaseId"
#define DG_READ_LATEST_FIRMWARE_METHOD "GET"
#define DG_READ_LATEST_FIRMWARE_PATH "/ota/latest"
#define DG_REPORT_UPDATE_METHOD "POST"
#define DG_REPORT_UPDATE_PATH "/ota/events"
#define DG_ANSWER_UPDATE_COMMAND_METHOD "POST"
#define DG_ANSWER_UPDATE_COMMAND_PATH "/device/ota/status"
#define DG_FETCH_COMMANDS_METHOD "GET"
#define DG_FETCH_COMMANDS_PATH "/device/commands"
#define DG_REPORT_COMMAND_METHOD "POST"
#define DG_REPORT_COMMAND_PATH "/device/commands/:commandId/result"

/* Limits of one request and of one record. A server may have other limits for bodies. */
#define DG_MAX_BATCH_RECORDS 500
#define DG_TELEMETRY_BODY_BYTES 262144
#define DG_BODY_BYTES 16384
#define DG_RECORD_METRICS 256
#define DG_RECORD_DEPTH 8
#define DG_RECORD_NAME_LENGTH 128

/* Default limits of the server for one device. */
#define DG_TOKEN_TTL_SECONDS 86400
#define DG_TELEMETRY_PER_MINUTE 120
#define DG_METRICS_PER_MINUTE 60000
#define DG_TELEMETRY_RETENTION_DAYS 90

/* Error codes, with their HTTP status. */
#define DG_PROBLEMS(X) \
  X(MALFORMED_JSON, "malformed_json", 400) \
  X(INVALID_REQUEST, "invalid_request", 400) \
  X(CLAIM_CODE_REQUIRED, "claim_code_required", 400) \
  X(DEVICE_SECRET_REQUIRED, "device_secret_required", 400) \
  X(UNKNOWN_SIGNING_KEY, "unknown_signing_key", 400) \
  X(INVALID_SIGNATURE, "invalid_signature", 400) \
  X(IMAGE_MISMATCH, "image_mismatch", 400) \
  X(UPLOAD_INCOMPLETE, "upload_incomplete", 400) \
  X(UNAUTHORIZED, "unauthorized", 401) \
  X(INVALID_CREDENTIALS, "invalid_credentials", 401) \
  X(INVALID_CLAIM, "invalid_claim", 401) \
  X(EMAIL_NOT_VERIFIED, "email_not_verified", 403) \
  X(FORBIDDEN, "forbidden", 403) \
  X(NOT_OWNER, "not_owner", 403) \
  X(CROSS_SITE, "cross_site", 403) \
  X(REFUSED, "refused", 403) \
  X(DEVICE_NOT_ADMITTED, "device_not_admitted", 403) \
  X(DEVICE_NOT_FOUND, "device_not_found", 404) \
  X(RELEASE_NOT_FOUND, "release_not_found", 404) \
  X(COMMAND_NOT_FOUND, "command_not_found", 404) \
  X(ALERT_RULE_NOT_FOUND, "alert_rule_not_found", 404) \
  X(ALERT_NOT_FOUND, "alert_not_found", 404) \
  X(WEBHOOK_NOT_FOUND, "webhook_not_found", 404) \
  X(WEBHOOK_MESSAGE_NOT_FOUND, "webhook_message_not_found", 404) \
  X(WEBHOOKS_NOT_ENABLED, "webhooks_not_enabled", 404) \
  X(NOT_FOUND, "not_found", 404) \
  X(METHOD_NOT_ALLOWED, "method_not_allowed", 405) \
  X(DEVICE_ALREADY_REGISTERED, "device_already_registered", 409) \
  X(DEVICE_REVOKED, "device_revoked", 409) \
  X(COMMAND_NOT_PENDING, "command_not_pending", 409) \
  X(TOO_MANY_COMMANDS, "too_many_commands", 409) \
  X(IDEMPOTENCY_KEY_REUSED, "idempotency_key_reused", 409) \
  X(ALREADY_CLAIMED, "already_claimed", 409) \
  X(RELEASE_EXISTS, "release_exists", 409) \
  X(RELEASE_WITHDRAWN, "release_withdrawn", 409) \
  X(TOO_MANY_ALERT_RULES, "too_many_alert_rules", 409) \
  X(TOO_MANY_WEBHOOKS, "too_many_webhooks", 409) \
  X(WEBHOOK_DISABLED, "webhook_disabled", 409) \
  X(ILLEGAL_TRANSITION, "illegal_transition", 409) \
  X(IMAGE_MISSING, "image_missing", 409) \
  X(PRECONDITION_FAILED, "precondition_failed", 412) \
  X(PAYLOAD_TOO_LARGE, "payload_too_large", 413) \
  X(UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", 415) \
  X(RANGE_NOT_SATISFIABLE, "range_not_satisfiable", 416) \
  X(TOO_MANY_REQUESTS, "too_many_requests", 429) \
  X(TOO_MANY_ATTEMPTS, "too_many_attempts", 429) \
  X(INTERNAL, "internal", 500) \
  X(UNAVAILABLE, "unavailable", 503)

/* Why a single record was rejected. */
#define DG_REJECTIONS(X) \
  X(NOT_AN_OBJECT, "not_an_object") \
  X(INVALID_TIMESTAMP, "invalid_timestamp") \
  X(TIMESTAMP_OUT_OF_RANGE, "timestamp_out_of_range") \
  X(INVALID_SEQ, "invalid_seq") \
  X(TOO_MANY_METRICS, "too_many_metrics") \
  X(TOO_DEEP, "too_deep") \
  X(NAME_TOO_LONG, "name_too_long")

/* States of an update. */
#define DG_OTA_STATES(X) \
  X(OFFERED, "offered") \
  X(DOWNLOADING, "downloading") \
  X(DOWNLOADED, "downloaded") \
  X(VERIFIED, "verified") \
  X(INSTALLING, "installing") \
  X(REBOOTING, "rebooting") \
  X(SUCCEEDED, "succeeded") \
  X(FAILED, "failed") \
  X(REJECTED, "rejected") \
  X(ROLLED_BACK, "rolled_back") \
  X(CANCELLED, "cancelled") \
  X(TIMED_OUT, "timed_out")

/* Algorithms of release signatures. */
#define DG_SIGNATURE_ALGORITHMS(X) \
  X(ECDSA_P256_SHA256, "ecdsa-p256-sha256") \
  X(ED25519, "ed25519")

#endif
