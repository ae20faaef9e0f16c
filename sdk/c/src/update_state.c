/* The stored form of the update state. One function describes it for both directions. */
#include <string.h>

#include "update_internal.h"

/* Raised when the form changes. A state of another format is forgotten: the new image is confirmed, but the update is
 * never reported as succeeded, and after a roll-back the former image may install it again. */
#define FORMAT 1

typedef struct codec {
  uint8_t *bytes;
  size_t size;
  size_t at;
  bool is_reading;
  bool is_bad;
} codec;

static void put_bytes(codec *it, void *value, size_t length) {
  if (it->is_bad || it->size - it->at < length) {
    it->is_bad = true;
    return;
  }
  if (it->is_reading) memcpy(value, it->bytes + it->at, length);
  else memcpy(it->bytes + it->at, value, length);
  it->at += length;
}

static void put_number(codec *it, int64_t *value) {
  uint8_t bytes[8];
  uint64_t number = (uint64_t)*value;
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> 8 * i);
  put_bytes(it, bytes, sizeof bytes);
  if (!it->is_reading || it->is_bad) return;
  number = 0;
  for (int i = 0; i < 8; i++) number |= (uint64_t)bytes[i] << 8 * i;
  *value = (int64_t)number;
}

static void put_text(codec *it, char *value, size_t size) {
  size_t length = it->is_reading ? 0 : strlen(value);
  uint8_t head[2] = {(uint8_t)length, (uint8_t)(length >> 8)};
  put_bytes(it, head, sizeof head);
  length = head[0] | (size_t)head[1] << 8;
  if (length >= size) it->is_bad = true;
  put_bytes(it, value, it->is_bad ? 0 : length);
  if (it->is_reading && !it->is_bad) value[length] = 0;
}

#define PUT_TEXT(it, text) put_text(it, text, sizeof(text))

static void put_offer(codec *it, dg_offer *offer) {
  PUT_TEXT(it, offer->version);
  PUT_TEXT(it, offer->target_hardware);
  PUT_TEXT(it, offer->released_at);
  PUT_TEXT(it, offer->sha256);
  PUT_TEXT(it, offer->signature);
  PUT_TEXT(it, offer->signing_key_id);
  PUT_TEXT(it, offer->signature_algorithm);
  PUT_TEXT(it, offer->download_url);
  put_number(it, &offer->size);
}

static void put_report(codec *it, dg_report *report) {
  put_bytes(it, &report->state, 1);
  put_bytes(it, &report->progress, 1);
  PUT_TEXT(it, report->version);
  PUT_TEXT(it, report->code);
  PUT_TEXT(it, report->message);
  put_number(it, &report->at_ms);
}

/* Reads or writes a count, at most `max`. */
static void put_count(codec *it, int64_t *count, int64_t max) {
  put_number(it, count);
  if (*count < 0 || *count > max) it->is_bad = true;
}

static void put_state(codec *it, dg_update_state *state) {
  uint8_t format = FORMAT;
  uint8_t phase = (uint8_t)state->phase;
  put_bytes(it, &format, 1);
  put_bytes(it, &phase, 1);
  if (format != FORMAT || phase > DG_ROLLING_BACK) it->is_bad = true;
  state->phase = (dg_phase)phase;
  PUT_TEXT(it, state->floor);
  if (state->phase != DG_IDLE) put_offer(it, &state->offer);
  put_number(it, &state->offset);
  PUT_TEXT(it, state->etag);
  put_number(it, &state->restarts);
  put_number(it, &state->failures);
  put_number(it, &state->attempts);
  put_number(it, &state->boots);
  PUT_TEXT(it, state->from);
  PUT_TEXT(it, state->code);
  PUT_TEXT(it, state->message);
  PUT_TEXT(it, state->refusal);
  put_count(it, &state->trouble_count, DG_MAX_TROUBLES);
  for (int64_t i = 0; i < state->trouble_count && !it->is_bad; i++) {
    PUT_TEXT(it, state->troubles[i].sha256);
    put_number(it, &state->troubles[i].failures);
    put_number(it, &state->troubles[i].retry_at_ms);
  }
  put_count(it, &state->report_count, DG_MAX_REPORTS);
  for (int64_t i = 0; i < state->report_count && !it->is_bad; i++) put_report(it, &state->reports[i]);
}

size_t dg_write_state(const dg_update_state *state, uint8_t *bytes, size_t size) {
  codec it = {.bytes = bytes, .size = size};
  /* A writing codec changes nothing. */
  put_state(&it, (dg_update_state *)state);
  return it.is_bad ? 0 : it.at;
}

bool dg_read_state(dg_update_state *state, const uint8_t *bytes, size_t length) {
  codec it = {.bytes = (uint8_t *)bytes, .size = length, .is_reading = true};
  memset(state, 0, sizeof *state);
  put_state(&it, state);
  return !it.is_bad && it.at == length && dg_is_version(state->floor);
}
