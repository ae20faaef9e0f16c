/* Signing in, retries and renewed tokens. */
#include <string.h>

#include "internal.h"

#define SECRET_KEY "secret"

int64_t dg_now(const dg_client *client) {
  const dg_clock_port *clock = client->options.ports.clock;
  int64_t now_ms = clock->now_ms(clock->context);
  return now_ms > 0 ? now_ms : 0;
}

/* No response, 429 or a server error: the same request may succeed later. */
static bool is_transient(const dg_error *error) {
  return error->status == DG_NETWORK || error->http_status == 429 || error->http_status >= 500;
}

/*
 * Returns the delay before the next attempt in milliseconds: what the server asked for, plus a random part up to a
 * bound that doubles with each attempt, so that a fleet does not return at the same moment. -1 if the server asks for
 * more than the longest delay.
 */
static int64_t choose_wait(const dg_client *client, uint32_t attempt) {
  const dg_options *options = &client->options;
  const dg_crypto_port *crypto = options->ports.crypto;
  int64_t asked = client->error.retry_after_seconds > 0 ? (int64_t)client->error.retry_after_seconds * 1000 : 0;
  uint64_t bound = (uint64_t)options->base_wait_ms << (attempt < 20 ? attempt : 20);
  uint32_t random = 0;
  if (asked > options->max_wait_ms) return -1;
  if (bound > options->max_wait_ms) bound = options->max_wait_ms;
  if (!crypto->random(crypto->context, &random, sizeof random)) return asked + (int64_t)bound;
  return asked + (int64_t)(bound * random >> 32);
}

dg_status dg_retry(dg_client *client, const dg_call *call) {
  const dg_options *options = &client->options;
  uint32_t tries = call->tries == 0 ? options->tries : call->tries;
  for (uint32_t attempt = 0;; attempt++) {
    bool has_begun;
    dg_status status = dg_exchange(client, call, &has_begun);
    const dg_error *error = &client->error;
    if (status == DG_OK) return status;
    bool may_repeat = is_transient(error) && (call->is_repeatable || error->http_status == 429);
    /* The next response may lack a value of the caller that this one has changed. */
    if (has_begun && call->own_count > 0) may_repeat = false;
    int64_t wait = may_repeat ? choose_wait(client, attempt) : -1;
    if (wait < 0 || attempt + 1 >= tries) return status;
    if (options->on_event != NULL) options->on_event(options->event_context, DG_RETRYING, wait);
    options->ports.clock->wait_ms(options->ports.clock->context, (uint32_t)wait);
  }
}

/* A secret in the stored form: its checksum and its text. */
typedef struct stored_secret {
  uint32_t checksum;
  char text[DG_SECRET_BYTES];
} stored_secret;

static bool save_secret(dg_client *client, const char *secret) {
  stored_secret stored = {0};
  dg_copy(stored.text, sizeof stored.text, secret);
  return dg_save(client, SECRET_KEY, &stored, strlen(secret));
}

static void write_identity(dg_text *json, const dg_identity *identity, const char *secret) {
  const struct {
    const char *name, *value;
  } texts[] = {{"firmwareVersion", identity->firmware_version},
               {"targetHardware", identity->target_hardware},
               {"hardwarePlatform", identity->hardware_platform},
               {"hardwareModel", identity->hardware_model},
               {"boardProfile", identity->board_profile},
               {"hardwareFingerprint", identity->hardware_fingerprint},
               {"deviceSecret", secret}};
  dg_json_text(json, "deviceId", identity->device_id);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].value != NULL) dg_json_text(json, texts[i].name, texts[i].value);
  if (identity->capabilities != NULL) dg_json_raw(json, "capabilities", identity->capabilities);
}

/* Logs in, or registers with the claim code. Both are safe to repeat (§1). `secret` is NULL if there is none. */
static dg_status sign_in(dg_client *client, bool registers, const char *secret) {
  const dg_identity *identity = &client->options.identity;
  dg_text json = dg_text_in(client->scratch, sizeof client->scratch);
  char issued[DG_SECRET_BYTES] = "";
  char *token = client->bearer + strlen("Bearer ");
  const dg_json_field fields[] = {
      {"token", DG_JSON_TEXT, token, DG_TOKEN_BYTES, true},
      {"deviceSecret", DG_JSON_TEXT, issued, sizeof issued, registers},
  };
  const dg_call call = {.method = registers ? DG_REGISTER_DEVICE_METHOD : DG_LOGIN_DEVICE_METHOD,
                        .path = registers ? DG_REGISTER_DEVICE_PATH : DG_LOGIN_DEVICE_PATH,
                        .text = client->scratch,
                        .fields = fields,
                        .field_count = 2,
                        .is_repeatable = true,
                        .has_no_token = true};
  /* The request takes the place of a record that was begun. */
  client->recording_id = 0;
  dg_json_open(&json, NULL, '{');
  write_identity(&json, identity, secret);
  if (registers) dg_json_text(&json, "hardwareId", identity->hardware_id);
  if (registers && identity->claim_code != NULL) dg_json_text(&json, "claimCode", identity->claim_code);
  dg_json_close(&json, '}');
  client->bearer[0] = 0;
  if (json.overflow) return dg_fail(client, DG_TOO_LARGE, "The identity is too long. Raise DG_RECORD_BYTES.");
  dg_status status = dg_retry(client, &call);
  if (status != DG_OK) return status;
  if (token[0] == 0 || (registers && issued[0] == 0))
    return dg_fail(client, DG_TOO_LARGE, "The token or secret is too long. Raise DG_TOKEN_BYTES.");
  /* Stored before its token is used, because that use invalidates the former secret (§1). */
  if (issued[0] != 0 && !save_secret(client, issued))
    return dg_fail(client, DG_STORAGE, "The device secret could not be stored.");
  memcpy(client->bearer, "Bearer ", strlen("Bearer "));
  if (client->options.on_event != NULL)
    client->options.on_event(client->options.event_context, registers ? DG_REGISTERED : DG_LOGGED_IN, 0);
  return DG_OK;
}

static dg_status log_in_or_register(dg_client *client) {
  stored_secret stored = {0};
  int32_t length = dg_load(client, SECRET_KEY, &stored, sizeof stored - 1);
  if (length == DG_FAILED) return dg_fail(client, DG_STORAGE, "The device secret could not be read.");
  if (length == DG_ABSENT) return sign_in(client, true, NULL);
  stored.text[length] = 0;
  dg_status status = sign_in(client, false, stored.text);
  if (status != DG_REFUSED || client->error.problem != DG_PROBLEM_INVALID_CREDENTIALS) return status;
  return sign_in(client, true, stored.text);
}

dg_status dg_connect(dg_client *client) {
  dg_status status = log_in_or_register(client);
  if (status != DG_OK) client->error.sign_in_failed = true;
  return status;
}

dg_status dg_send(dg_client *client, const dg_call *call) {
  if (client->bearer[0] == 0) {
    dg_status status = dg_connect(client);
    if (status != DG_OK) return status;
  }
  dg_status status = dg_retry(client, call);
  /* The status decides and not the code, because a proxy may have replaced the body. */
  if (status == DG_OK || client->error.http_status != 401) return status;
  status = dg_connect(client);
  return status == DG_OK ? dg_retry(client, call) : status;
}

dg_status dg_send_report(dg_client *client, const dg_call *call) {
  char answer[sizeof "accepted"];
  const dg_json_field fields[] = {{"status", DG_JSON_TEXT, answer, sizeof answer, true}};
  dg_call report = *call;
  report.fields = fields;
  report.field_count = 1;
  dg_status status = dg_send(client, &report);
  if (status != DG_OK || strcmp(answer, "accepted") == 0) return status;
  return dg_fail_unexpected(client);
}
