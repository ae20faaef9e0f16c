#include <string.h>

#include "internal.h"
#include "update_internal.h"

/* Number of consecutive power cuts between reading the slot back and activating it. */
#define MAX_INSTALLS 3

static bool is_same(const dg_offer *a, const dg_offer *b) {
  return a->size == b->size && strcmp(a->sha256, b->sha256) == 0 && strcmp(a->version, b->version) == 0 &&
         strcmp(a->target_hardware, b->target_hardware) == 0 && strcmp(a->released_at, b->released_at) == 0;
}

/* Refuses an offer and reports that once. The current update continues, so a forged offer cannot stop it. */
static void refuse_offer(dg_machine *machine, const dg_offer *offer, const char *code, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  const char *version = dg_is_version(offer->version) ? offer->version : machine->running;
  const char *message =
      offer->download_url[0] == 0 ? "The download URL is missing or too long. Raise DG_URL_BYTES." : "";
  char refusal[sizeof state->refusal];
  dg_text text = dg_text_in(refusal, sizeof refusal);
  dg_text_add(&text, code);
  dg_text_add(&text, " ");
  dg_text_add(&text, version);
  dg_text_add(&text, " ");
  dg_text_add(&text, offer->sha256);
  dg_end(machine, DG_REFUSED_OFFER, version, code, message);
  if (strcmp(refusal, state->refusal) == 0) return;
  dg_queue_report(machine, now_ms, DG_OTA_REJECTED, version, -1, code, message);
  dg_copy(state->refusal, sizeof state->refusal, refusal);
}

/* Continues the current update, which is still offered. */
static void continue_update(dg_machine *machine, const dg_offer *offer, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (state->phase == DG_DOWNLOADING || state->phase == DG_DOWNLOADED) state->offer = *offer;
  if (state->phase != DG_INSTALLING) return;
  state->attempts++;
  if (state->attempts < MAX_INSTALLS) {
    state->phase = DG_DOWNLOADED;
    state->offer = *offer;
    state->from[0] = 0;
    return;
  }
  dg_text_add(&message, "The activation was interrupted ");
  dg_text_add_number(&message, state->attempts);
  dg_text_add(&message, " times.");
  dg_fail_update(machine, now_ms, "install_failed", bytes);
}

static void on_offered(dg_machine *machine, const dg_offer *offer, const char *refusal, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (refusal != NULL) {
    refuse_offer(machine, offer, refusal, now_ms);
    return;
  }
  machine->checked = true;
  state->refusal[0] = 0;
  if (state->phase != DG_IDLE && is_same(&state->offer, offer)) {
    continue_update(machine, offer, now_ms);
    return;
  }
  dg_text_add(&message, "The server offers ");
  dg_text_add(&message, offer->version);
  dg_text_add(&message, " instead.");
  dg_cancel_update(machine, now_ms, bytes);
  const dg_trouble *trouble = dg_find_blocking_trouble(state, offer->sha256, now_ms);
  if (trouble != NULL) {
    dg_end(machine, DG_HELD, offer->version, "", "");
    machine->ended.until_ms = trouble->retry_at_ms;
    return;
  }
  dg_queue_report(machine, now_ms, DG_OTA_DOWNLOADING, offer->version, 0, "", "");
  state->phase = DG_DOWNLOADING;
  state->offer = *offer;
}

static void on_not_offered(dg_machine *machine, int64_t now_ms) {
  static const char message[] = "The server no longer offers it.";
  if (machine->state.phase == DG_IDLE) {
    dg_end(machine, DG_UP_TO_DATE, "", "", "");
    return;
  }
  dg_end(machine, DG_CANCELLED, machine->state.offer.version, "", message);
  dg_cancel_update(machine, now_ms, message);
}

static void on_read_back(dg_machine *machine, const char *sha256, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (strcmp(sha256, state->offer.sha256) != 0) {
    dg_text_add(&message, "The SHA-256 of the image in the slot is ");
    dg_text_add(&message, sha256);
    dg_text_add(&message, ".");
    dg_fail_update(machine, now_ms, "slot_damaged", bytes);
    return;
  }
  dg_queue_report(machine, now_ms, DG_OTA_INSTALLING, state->offer.version, -1, "", "");
  state->phase = DG_INSTALLING;
  dg_copy(state->from, sizeof state->from, machine->running);
}

static void on_confirmed(dg_machine *machine, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  dg_queue_report(machine, now_ms, DG_OTA_SUCCEEDED, state->offer.version, 100, "", "");
  if (dg_compare_versions(state->offer.version, state->floor) > 0)
    dg_copy(state->floor, sizeof state->floor, state->offer.version);
  dg_enter_idle(machine);
}

/* Returns the phases in which an event is possible, as bits. */
static unsigned phases_of(dg_update_event_kind kind) {
  switch (kind) {
    case DG_ON_OPENED:
    case DG_ON_WROTE:
    case DG_ON_INTERRUPTED:
    case DG_ON_GONE:
    case DG_ON_DOWNLOAD_REFUSED:
    case DG_ON_RECEIVED: return 1u << DG_DOWNLOADING;
    case DG_ON_FLASH_FAILED: return 1u << DG_DOWNLOADING | 1u << DG_DOWNLOADED;
    case DG_ON_READ_BACK: return 1u << DG_DOWNLOADED;
    case DG_ON_ACTIVATED:
    case DG_ON_INSTALL_FAILED: return 1u << DG_INSTALLING;
    case DG_ON_REBOOT_REQUESTED:
    case DG_ON_CONFIRMED:
    case DG_ON_SELF_TEST_FAILED: return 1u << DG_TRIAL;
    case DG_ON_ROLLBACK_REQUESTED: return 1u << DG_ROLLING_BACK;
    default: return ~0u;
  }
}

bool dg_transition(dg_machine *machine, const dg_update_event *event, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  if ((phases_of(event->kind) >> state->phase & 1) == 0) return false;
  switch (event->kind) {
    case DG_ON_BOOTED: dg_on_booted(machine, event->running, now_ms); break;
    case DG_ON_OFFERED: on_offered(machine, event->offer, event->refusal, now_ms); break;
    case DG_ON_NOT_OFFERED: on_not_offered(machine, now_ms); break;
    case DG_ON_UNAVAILABLE:
      dg_end(machine, DG_LATER, "", "", event->message);
      machine->ended.retry_after_seconds = event->retry_after_seconds;
      break;
    case DG_ON_FLASH_FAILED: dg_fail_update(machine, now_ms, "flash_failed", event->message); break;
    case DG_ON_READ_BACK: on_read_back(machine, event->sha256, now_ms); break;
    case DG_ON_ACTIVATED:
      dg_queue_report(machine, now_ms, DG_OTA_REBOOTING, state->offer.version, -1, "", "");
      state->phase = DG_TRIAL;
      state->attempts = state->boots = 0;
      break;
    case DG_ON_INSTALL_FAILED: dg_fail_update(machine, now_ms, "install_failed", event->message); break;
    case DG_ON_REBOOT_REQUESTED: dg_end(machine, DG_RESTARTING, state->offer.version, "", ""); break;
    case DG_ON_CONFIRMED: on_confirmed(machine, now_ms); break;
    case DG_ON_SELF_TEST_FAILED:
      state->phase = DG_ROLLING_BACK;
      state->attempts = state->boots = 0;
      dg_copy(state->code, sizeof state->code, "self_test_failed");
      dg_copy(state->message, sizeof state->message, event->message);
      break;
    case DG_ON_ROLLBACK_REQUESTED:
      state->attempts++;
      dg_end(machine, DG_RESTARTING, state->from, "", "");
      break;
    default: dg_on_downloading(machine, event, now_ms); break;
  }
  return true;
}

dg_effect dg_next_effect(const dg_machine *machine) {
  const dg_update_state *state = &machine->state;
  if (machine->ended.kind != DG_RUNNING) return DG_EFFECT_NONE;
  if (state->phase == DG_TRIAL) return state->boots == 0 ? DG_EFFECT_REBOOT : DG_EFFECT_TRY_OUT;
  if (state->phase == DG_ROLLING_BACK) return DG_EFFECT_ROLL_BACK;
  if (!machine->checked) return DG_EFFECT_CHECK;
  switch (state->phase) {
    case DG_DOWNLOADING: return DG_EFFECT_DOWNLOAD;
    case DG_DOWNLOADED: return DG_EFFECT_READ_BACK;
    case DG_INSTALLING: return DG_EFFECT_INSTALL;
    default: return DG_EFFECT_NONE;
  }
}
