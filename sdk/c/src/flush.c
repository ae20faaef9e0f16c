#include <string.h>

#include "telemetry_buffer.h"

/* The body of a request, read from the buffer record by record. */
typedef struct batch_body {
  dg_client *client;
  int64_t first;
  int64_t last;
  int64_t next;
  const char *piece;
  size_t left;
  bool has_record;
  bool has_ended;
  /* The storage failed, so the body is not complete. */
  bool has_failed;
} batch_body;

static void rewind_batch(void *context) {
  batch_body *body = context;
  body->next = body->first;
  body->piece = "{\"records\":[";
  body->left = strlen(body->piece);
  body->has_record = body->has_ended = body->has_failed = false;
}

/* Moves to the next piece. Returns false at the end, or if the storage failed. A lost record is left out. */
static bool next_piece(batch_body *body) {
  if (body->has_ended || body->has_failed) return false;
  while (body->next <= body->last) {
    char *record;
    size_t length;
    body->has_failed = !dg_load_record(body->client, body->next++, &record, &length);
    if (body->has_failed) return false;
    if (record == NULL) continue;
    /* The byte in front of the record belongs to its stored number, which is not needed here. */
    if (body->has_record) *--record = ',';
    body->piece = record;
    body->left = length + (body->has_record ? 1 : 0);
    body->has_record = true;
    return true;
  }
  body->piece = "]}";
  body->left = 2;
  body->has_ended = true;
  return true;
}

static size_t read_batch(void *context, void *bytes, size_t size) {
  batch_body *body = context;
  if (body->left == 0 && !next_piece(body)) return 0;
  size_t length = body->left < size ? body->left : size;
  memcpy(bytes, body->piece, length);
  body->piece += length;
  body->left -= length;
  return length;
}

static size_t measure(batch_body *body) {
  size_t length = 0;
  rewind_batch(body);
  do {
    length += body->left;
    body->left = 0;
  } while (next_piece(body));
  return length;
}

typedef enum remedy { LATER, NEW_KEY, SMALLER } remedy;

/* Returns how to go on after a failed request: at the next flush, with a new key, or with fewer records. A proxy may
 * refuse the size too. */
static remedy remedy_for(const dg_error *error) {
  if (error->sign_in_failed) return LATER;
  if (error->status != DG_REFUSED && error->http_status != 413) return LATER;
  if (error->problem == DG_PROBLEM_IDEMPOTENCY_KEY_REUSED) return NEW_KEY;
  return error->http_status == 413 || error->http_status == 400 ? SMALLER : LATER;
}

/* The part of a response that the report needs. */
typedef struct verdict {
  int64_t accepted, duplicates, rejected;
  bool update_available, commands_waiting;
  char server_time[32];
  char config_version[DG_ETAG_BYTES];
  char rejected_code[DG_CODE_BYTES];
} verdict;

static bool is_count(int64_t number) { return number >= 0 && number <= DG_MAX_BATCH_RECORDS; }

static dg_status send_batch(batch_body *body, const char *key, verdict *it) {
  const dg_json_field fields[] = {
      {"accepted", DG_JSON_INTEGER, &it->accepted, 0, true},
      {"duplicates", DG_JSON_INTEGER, &it->duplicates, 0, true},
      {"rejected", DG_JSON_COUNT, &it->rejected, 0, true},
      {"rejected.0.code", DG_JSON_TEXT, it->rejected_code, sizeof it->rejected_code, false},
      {"updateAvailable", DG_JSON_BOOL, &it->update_available, 0, true},
      {"commandsWaiting", DG_JSON_BOOL, &it->commands_waiting, 0, false},
      {"serverTime", DG_JSON_TEXT, it->server_time, sizeof it->server_time, true},
      {"configVersion", DG_JSON_TEXT, it->config_version, sizeof it->config_version, true},
  };
  const dg_call call = {.method = DG_SEND_TELEMETRY_METHOD,
                        .path = DG_SEND_TELEMETRY_PATH,
                        .headers = {{"Idempotency-Key", key}},
                        .header_count = key[0] == 0 ? 0 : 1,
                        .content_length = measure(body),
                        .read_body = read_batch,
                        .rewind_body = rewind_batch,
                        .body_context = body,
                        .fields = fields,
                        .field_count = sizeof fields / sizeof *fields,
                        .is_repeatable = true};
  memset(it, 0, sizeof *it);
  dg_status status = body->has_failed ? DG_STORAGE : dg_send(body->client, &call);
  /* Without the records that could not be read, the response says nothing about the batch. */
  if (body->has_failed) return dg_fail(body->client, DG_STORAGE, "A record could not be read.");
  bool is_possible = is_count(it->accepted) && is_count(it->duplicates) && is_count(it->rejected);
  return status == DG_OK && !is_possible ? dg_fail_unexpected(body->client) : status;
}

static void add_verdict(const dg_client *client, dg_flush_report *report, const verdict *it) {
  report->accepted += it->accepted;
  report->duplicates += it->duplicates;
  report->rejected += it->rejected;
  if (it->rejected > 0) dg_copy(report->rejected_code, sizeof report->rejected_code, it->rejected_code);
  report->server_time_ms = dg_parse_time(it->server_time);
  if (report->server_time_ms < 0) report->server_time_ms = 0;
  report->update_available = it->update_available;
  report->commands_waiting = it->commands_waiting;
  report->config_changed = strcmp(it->config_version, client->config_version) != 0;
}

dg_status dg_check_in(dg_client *client, dg_flush_report *report) {
  batch_body empty = {.client = client, .first = 1, .last = 0};
  verdict it;
  memset(report, 0, sizeof *report);
  dg_status status = send_batch(&empty, "", &it);
  if (status == DG_OK) add_verdict(client, report, &it);
  return status;
}

dg_status dg_flush(dg_client *client, dg_flush_report *report) {
  int64_t size = DG_MAX_BATCH_RECORDS;
  /* A larger request is too large for the server. */
  int64_t limit = DG_MAX_BATCH_RECORDS;
  int new_keys = 0;
  memset(report, 0, sizeof *report);
  if (client->next_id == 0 && dg_open_buffer(client) != DG_OK) return client->error.status;
  while (dg_waiting(client) > 0) {
    verdict it;
    dg_status status = dg_seal_batch(client, size);
    if (status != DG_OK) return status;
    const dg_seal seal = client->seal;
    batch_body body = {.client = client, .first = seal.first, .last = seal.last};
    status = send_batch(&body, seal.key, &it);
    remedy way = status == DG_OK ? LATER : remedy_for(&client->error);
    int64_t count = seal.last - seal.first + 1;
    /* Only the API's own refusal drops a record. */
    bool is_bad = way == SMALLER && count == 1 && status == DG_REFUSED;
    if (status == DG_OK || is_bad) {
      if (status == DG_OK) add_verdict(client, report, &it);
      else report->refused++;
      if (is_bad && client->options.on_event != NULL)
        client->options.on_event(client->options.event_context, DG_DROPPED_REFUSED, seal.first);
      /* After a bad record, the requests grow again. */
      if (is_bad) limit = DG_MAX_BATCH_RECORDS;
      else size = 2 * size < limit ? 2 * size : limit;
      status = dg_finish_batch(client, seal.last);
      if (status != DG_OK) return status;
    } else if (way == SMALLER && count > 1) {
      size = (count + 1) / 2;
      if (client->error.http_status == 413) limit = size;
      dg_give_up_key(client);
    } else if (way == NEW_KEY && new_keys < 3) {
      new_keys++;
      dg_give_up_key(client);
    } else {
      if (way == NEW_KEY) dg_give_up_key(client);
      return status;
    }
  }
  return DG_OK;
}
