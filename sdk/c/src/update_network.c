/* The updater's requests with JSON responses. */
#include <string.h>

#include "internal.h"
#include "update_network.h"

void dg_check_offer(dg_updater *updater, dg_update_event *event) {
  dg_offer *offer = &updater->offer;
  bool is_available = false;
  char query[sizeof "?currentVersion=" + DG_VERSION_BYTES];
  const dg_json_field fields[] = {
      {"updateAvailable", DG_JSON_BOOL, &is_available, 0, true},
      {"version", DG_JSON_TEXT, offer->version, sizeof offer->version, false},
      {"targetHardware", DG_JSON_TEXT, offer->target_hardware, sizeof offer->target_hardware, false},
      {"releasedAt", DG_JSON_TEXT, offer->released_at, sizeof offer->released_at, false},
      {"sha256", DG_JSON_TEXT, offer->sha256, sizeof offer->sha256, false},
      {"signature", DG_JSON_TEXT, offer->signature, sizeof offer->signature, false},
      {"signingKeyId", DG_JSON_TEXT, offer->signing_key_id, sizeof offer->signing_key_id, false},
      {"signatureAlgorithm", DG_JSON_TEXT, offer->signature_algorithm, sizeof offer->signature_algorithm, false},
      {"downloadUrl", DG_JSON_TEXT, offer->download_url, sizeof offer->download_url, false},
      {"size", DG_JSON_INTEGER, &offer->size, 0, false},
  };
  const dg_call call = {.method = DG_READ_LATEST_FIRMWARE_METHOD,
                        .path = DG_READ_LATEST_FIRMWARE_PATH,
                        .query = query,
                        .fields = fields,
                        .field_count = sizeof fields / sizeof *fields,
                        .tries = 1};
  const dg_update_options *options = &updater->options;
  const dg_facts facts = {.target_hardware = options->target_hardware,
                          .running = updater->machine.running,
                          .floor = updater->machine.state.floor,
                          .capacity = options->firmware->capacity,
                          .keys = options->keys,
                          .key_count = options->key_count,
                          .crypto = updater->client->options.ports.crypto};
  dg_text text = dg_text_in(query, sizeof query);
  dg_text_add(&text, "?currentVersion=");
  dg_text_add(&text, updater->machine.running);
  memset(offer, 0, sizeof *offer);
  memset(event, 0, sizeof *event);
  if (dg_send(updater->client, &call) != DG_OK) {
    event->kind = DG_ON_UNAVAILABLE;
    event->message = updater->client->error.message;
    event->retry_after_seconds = updater->client->error.retry_after_seconds;
  } else if (!is_available) {
    event->kind = DG_ON_NOT_OFFERED;
  } else {
    event->kind = DG_ON_OFFERED;
    event->offer = offer;
    event->refusal = dg_assess_offer(offer, &facts);
  }
}

/* Longest report: its names and its values of limited length, and two texts whose bytes may each need six. */
#define REPORT_BYTES (130 + DG_VERSION_BYTES + 6 * (DG_CODE_BYTES + DG_MESSAGE_BYTES))

dg_delivery dg_deliver_report(dg_client *client, const dg_report *report) {
  char body[REPORT_BYTES];
  char time[25];
  dg_text json = dg_text_in(body, sizeof body);
  const dg_call call = {
      .method = DG_REPORT_UPDATE_METHOD, .path = DG_REPORT_UPDATE_PATH, .text = body, .tries = 1};
  dg_format_time(report->at_ms, time);
  dg_json_open(&json, NULL, '{');
  dg_json_text(&json, "state", dg_ota_state_word((dg_ota_state)report->state));
  dg_json_text(&json, "version", report->version);
  if (report->progress >= 0) dg_json_integer(&json, "progress", report->progress);
  if (report->code[0] != 0) dg_json_text(&json, "code", report->code);
  if (report->message[0] != 0) dg_json_text(&json, "message", report->message);
  dg_json_text(&json, "timestamp", time);
  dg_json_close(&json, '}');
  if (json.overflow) return DG_REPORT_REFUSED;
  dg_status answer = dg_send_report(client, &call);
  if (answer == DG_OK) return DG_REPORT_DELIVERED;
  int status = client->error.http_status;
  /* A 404 or 405 is about the address and not about the report. */
  bool may_pass = status == 401 || status == 404 || status == 405 || status == 408 || status == 429 || status >= 500;
  bool is_refused = answer == DG_REFUSED && !may_pass && !client->error.sign_in_failed;
  return is_refused ? DG_REPORT_REFUSED : DG_REPORT_UNDELIVERED;
}
