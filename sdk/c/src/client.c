#include <string.h>

#include "telemetry_buffer.h"

/* Limits of the interval (§5). */
#define MIN_INTERVAL_SECONDS 10
#define MAX_INTERVAL_SECONDS 3600

static bool is_address(const char *url) {
  return url != NULL && (dg_starts_with(url, "https://") || dg_starts_with(url, "http://"));
}

dg_status dg_client_open(dg_client *client, const dg_options *options) {
  const dg_ports *ports = &options->ports;
  const dg_identity *identity = &options->identity;
  memset(client, 0, sizeof *client);
  client->options = *options;
  if (options->buffer_records == 0) client->options.buffer_records = 256;
  if (options->tries == 0) client->options.tries = 5;
  if (options->base_wait_ms == 0) client->options.base_wait_ms = 1000;
  if (options->max_wait_ms == 0) client->options.max_wait_ms = 60000;
  if (!is_address(options->base_url))
    return dg_fail(client, DG_INVALID, "base_url must begin with https:// or http://.");
  if (ports->http == NULL || ports->storage == NULL || ports->clock == NULL || ports->crypto == NULL)
    return dg_fail(client, DG_INVALID, "A port is missing.");
  if (identity->device_id == NULL || identity->hardware_id == NULL || identity->firmware_version == NULL)
    return dg_fail(client, DG_INVALID, "device_id, hardware_id and firmware_version are required.");
  return dg_open_buffer(client);
}

dg_status dg_read_config(dg_client *client, dg_config *config, const dg_json_field *own, size_t own_count) {
  dg_config read = {.update_request_id = ""};
  char version[DG_ETAG_BYTES] = "";
  char etag[DG_ETAG_BYTES + 2];
  dg_json_field fields[DG_JSON_MAX_FIELDS] = {
      {"telemetryIntervalSeconds", DG_JSON_INTEGER, &read.telemetry_interval_seconds, 0, true},
      {"otaEnabled", DG_JSON_BOOL, &read.ota_enabled, 0, true},
      {"configVersion", DG_JSON_TEXT, version, sizeof version, true},
      {"otaUpdateRequestId", DG_JSON_TEXT, read.update_request_id, sizeof read.update_request_id, false},
      {"commandsWaiting", DG_JSON_BOOL, &read.commands_waiting, 0, false},
  };
  dg_call call = {.method = DG_READ_CONFIG_METHOD,
                  .path = DG_READ_CONFIG_PATH,
                  .fields = fields,
                  .field_count = 5 + own_count,
                  .own_count = own_count,
                  .is_repeatable = true};
  dg_text text = dg_text_in(etag, sizeof etag);
  if (call.field_count > DG_JSON_MAX_FIELDS) return dg_fail(client, DG_INVALID, "Too many fields.");
  for (size_t i = 0; i < own_count; i++) fields[5 + i] = own[i];
  dg_text_add(&text, "\"");
  dg_text_add(&text, client->config_version);
  dg_text_add(&text, "\"");
  if (client->config_version[0] != 0) {
    call.headers[0] = (dg_http_header){"If-None-Match", etag};
    call.header_count = 1;
    call.accepts_304 = true;
  }
  dg_status status = dg_send(client, &call);
  bool is_possible = read.telemetry_interval_seconds >= MIN_INTERVAL_SECONDS &&
                     read.telemetry_interval_seconds <= MAX_INTERVAL_SECONDS;
  if (status == DG_OK && version[0] != 0 && !is_possible) status = dg_fail_unexpected(client);
  if (status == DG_OK && version[0] != 0) *config = read;
  /* The version does not include the hint: a 304 means that no command waits. */
  if (status == DG_OK && version[0] == 0) config->commands_waiting = false;
  /* After an error, the next request asks for everything. After a 304, the version stays. */
  if (status != DG_OK || version[0] != 0)
    dg_copy(client->config_version, sizeof client->config_version, status == DG_OK ? version : "");
  return status;
}

dg_status dg_answer_update_request(dg_client *client, const char *request_id, const char *status,
                                   const char *message) {
  char body[512];
  dg_text json = dg_text_in(body, sizeof body);
  const dg_call call = {
      .method = DG_ANSWER_UPDATE_COMMAND_METHOD, .path = DG_ANSWER_UPDATE_COMMAND_PATH, .text = body};
  dg_json_open(&json, NULL, '{');
  dg_json_text(&json, "requestId", request_id);
  dg_json_text(&json, "status", status);
  if (message != NULL) dg_json_text(&json, "message", message);
  dg_json_close(&json, '}');
  if (json.overflow) return dg_fail(client, DG_TOO_LARGE, "The answer is too long.");
  return dg_send_report(client, &call);
}
