/* Changes of the state machine that several events share. */
#include <string.h>

#include "internal.h"
#include "update_internal.h"

#define MINUTE_MS INT64_C(60000)
#define LONGEST_PAUSE_MS (24 * 60 * MINUTE_MS)

void dg_initial_state(dg_update_state *state, const char *running) {
  memset(state, 0, sizeof *state);
  dg_copy(state->floor, sizeof state->floor, running);
}

/* Clears what only the former phase needed, so that the stored state has one form. */
void dg_enter_idle(dg_machine *machine) {
  dg_update_state *state = &machine->state;
  state->phase = DG_IDLE;
  memset(&state->offer, 0, sizeof state->offer);
  state->offset = state->restarts = state->failures = state->attempts = state->boots = 0;
  state->etag[0] = state->from[0] = state->code[0] = state->message[0] = 0;
}

/* If the outbox is full, the oldest progress report is dropped, or the oldest report if there is none. */
static void make_room(dg_update_state *state) {
  int64_t dropped = 0;
  for (int64_t i = state->report_count - 1; i >= 0; i--)
    if (state->reports[i].progress >= 0) dropped = i;
  state->report_count--;
  memmove(&state->reports[dropped], &state->reports[dropped + 1],
          (size_t)(state->report_count - dropped) * sizeof *state->reports);
}

void dg_queue_report(dg_machine *machine, int64_t now_ms, dg_ota_state kind, const char *version, int progress,
                     const char *code, const char *message) {
  dg_update_state *state = &machine->state;
  if (state->report_count == DG_MAX_REPORTS) make_room(state);
  dg_report *report = &state->reports[state->report_count++];
  memset(report, 0, sizeof *report);
  report->state = (uint8_t)kind;
  report->progress = (int8_t)progress;
  report->at_ms = now_ms;
  dg_copy(report->version, sizeof report->version, version);
  dg_copy(report->code, sizeof report->code, code);
  dg_copy(report->message, sizeof report->message, message);
}

void dg_end(dg_machine *machine, dg_outcome_kind kind, const char *version, const char *code, const char *message) {
  dg_outcome *ended = &machine->ended;
  memset(ended, 0, sizeof *ended);
  ended->kind = kind;
  ended->retry_after_seconds = -1;
  dg_copy(ended->version, sizeof ended->version, version);
  dg_copy(ended->code, sizeof ended->code, code);
  dg_copy(ended->message, sizeof ended->message, message);
}

/*
 * Moves the trouble of an image to the end of the list, or adds one. If the list is full, the oldest image that may be
 * retried is forgotten, or the oldest if none may be.
 */
static dg_trouble *note_trouble(dg_update_state *state, const char *sha256) {
  dg_trouble noted = {.failures = 0, .retry_at_ms = 0};
  int64_t kept = 0;
  dg_copy(noted.sha256, sizeof noted.sha256, sha256);
  for (int64_t i = 0; i < state->trouble_count; i++) {
    if (strcmp(state->troubles[i].sha256, sha256) == 0) noted = state->troubles[i];
    else state->troubles[kept++] = state->troubles[i];
  }
  if (kept == DG_MAX_TROUBLES) {
    int64_t place = 0;
    while (place < kept && state->troubles[place].retry_at_ms == DG_NEVER) place++;
    if (place == kept) place = 0;
    kept--;
    memmove(state->troubles + place, state->troubles + place + 1, (size_t)(kept - place) * sizeof *state->troubles);
  }
  noted.failures++;
  state->trouble_count = kept + 1;
  state->troubles[kept] = noted;
  return &state->troubles[kept];
}

void dg_fail_update(dg_machine *machine, int64_t now_ms, const char *code, const char *message) {
  /* A first failure may be accidental. An image that failed three times is retried once a day. */
  static const int64_t pauses_ms[] = {MINUTE_MS, 15 * MINUTE_MS, LONGEST_PAUSE_MS};
  dg_update_state *state = &machine->state;
  dg_queue_report(machine, now_ms, DG_OTA_FAILED, state->offer.version, -1, code, message);
  dg_end(machine, DG_FAILED_UPDATE, state->offer.version, code, message);
  dg_trouble *trouble = note_trouble(state, state->offer.sha256);
  int64_t pause = pauses_ms[trouble->failures < 3 ? trouble->failures - 1 : 2];
  if (trouble->retry_at_ms != DG_NEVER) trouble->retry_at_ms = now_ms + pause;
  dg_enter_idle(machine);
}

/* The old image runs again. The device never tries the new one again. */
void dg_record_roll_back(dg_machine *machine, int64_t now_ms, const char *code, const char *message) {
  dg_update_state *state = &machine->state;
  dg_queue_report(machine, now_ms, DG_OTA_ROLLED_BACK, state->offer.version, -1, code, message);
  note_trouble(state, state->offer.sha256)->retry_at_ms = DG_NEVER;
  dg_enter_idle(machine);
}

void dg_cancel_update(dg_machine *machine, int64_t now_ms, const char *message) {
  if (machine->state.phase == DG_IDLE) return;
  dg_queue_report(machine, now_ms, DG_OTA_CANCELLED, machine->state.offer.version, -1, "", message);
  dg_enter_idle(machine);
}

/* A time that lies further ahead than the longest pause is from a clock that was wrong. Without a clock, no pause ends,
 * so an image is tried three times. */
static bool is_blocking(const dg_trouble *trouble, int64_t now_ms) {
  int64_t retry_at_ms = trouble->retry_at_ms;
  if (retry_at_ms == DG_NEVER) return true;
  if (now_ms <= 0) return trouble->failures >= 3;
  return retry_at_ms > now_ms && retry_at_ms - now_ms <= LONGEST_PAUSE_MS;
}

const dg_trouble *dg_find_blocking_trouble(const dg_update_state *state, const char *sha256, int64_t now_ms) {
  for (int64_t i = 0; i < state->trouble_count; i++)
    if (strcmp(state->troubles[i].sha256, sha256) == 0 && is_blocking(&state->troubles[i], now_ms))
      return &state->troubles[i];
  return NULL;
}
