/* Continues an update from the stored state after a start. */
#include <string.h>

#include "internal.h"
#include "update_internal.h"

/* Number of starts in which a new image must confirm itself, and of attempts to start the former image again. */
#define MAX_BOOTS 3
#define MAX_ROLL_BACKS 3

static void roll_back(dg_machine *machine, const char *code, const dg_text *message) {
  dg_update_state *state = &machine->state;
  state->phase = DG_ROLLING_BACK;
  state->attempts = state->boots = 0;
  dg_copy(state->code, sizeof state->code, code);
  dg_copy(state->message, sizeof state->message, message->bytes);
}

static void on_trial(dg_machine *machine, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (strcmp(machine->running, state->from) == 0) {
    dg_text_add(&message, state->from);
    dg_text_add(&message, " runs again: ");
    dg_text_add(&message, state->offer.version);
    dg_text_add(&message, " did not confirm itself.");
    dg_record_roll_back(machine, now_ms, "not_confirmed", bytes);
  } else if (strcmp(machine->running, state->offer.version) != 0) {
    dg_text_add(&message, "The image contains version ");
    dg_text_add(&message, machine->running);
    dg_text_add(&message, ".");
    roll_back(machine, "wrong_version", &message);
  } else if (state->boots >= MAX_BOOTS) {
    dg_text_add(&message, "Started ");
    dg_text_add_number(&message, state->boots);
    dg_text_add(&message, " times without confirming itself.");
    roll_back(machine, "not_confirmed", &message);
  } else {
    state->phase = DG_TRIAL;
    state->attempts = 0;
    state->boots++;
  }
}

static void rolling_back(dg_machine *machine, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (strcmp(machine->running, state->from) == 0) {
    dg_copy(bytes, sizeof bytes, state->message);
    char code[DG_CODE_BYTES];
    dg_copy(code, sizeof code, state->code);
    dg_record_roll_back(machine, now_ms, code, bytes);
  } else if (state->attempts >= MAX_ROLL_BACKS) {
    dg_text_add(&message, machine->running);
    dg_text_add(&message, " runs unconfirmed: ");
    dg_text_add(&message, state->from);
    dg_text_add(&message, " could not be started.");
    dg_queue_report(machine, now_ms, DG_OTA_FAILED, state->offer.version, -1, "rollback_failed", bytes);
    dg_enter_idle(machine);
  }
}

void dg_on_booted(dg_machine *machine, const char *running, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  dg_copy(machine->running, sizeof machine->running, running);
  machine->checked = false;
  machine->ended.kind = DG_RUNNING;
  switch (state->phase) {
    case DG_IDLE:
    case DG_DOWNLOADING:
    case DG_DOWNLOADED:
      /* A later version may have been flashed by cable. */
      if (dg_compare_versions(running, state->floor) > 0) dg_copy(state->floor, sizeof state->floor, running);
      break;
    case DG_INSTALLING:
      /* If the new image runs, the power was cut after the activation and before it was stored. */
      if (strcmp(running, state->from) != 0) on_trial(machine, now_ms);
      break;
    case DG_TRIAL: on_trial(machine, now_ms); break;
    case DG_ROLLING_BACK: rolling_back(machine, now_ms); break;
  }
}
