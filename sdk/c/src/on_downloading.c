/* Events of a download. */
#include <string.h>

#include "internal.h"
#include "update_internal.h"

/* Number of consecutive connections without data, and of starts from the beginning. */
#define MAX_FAILURES 5
#define MAX_RESTARTS 3

static void opened(dg_machine *machine, const dg_update_event *event, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  if (event->offset < state->offset) state->restarts++;
  if (state->restarts > MAX_RESTARTS) {
    dg_fail_update(machine, now_ms, "image_keeps_changing", "The download started again 3 times.");
    return;
  }
  state->offset = event->offset;
  dg_copy(state->etag, sizeof state->etag, event->etag == NULL ? "" : event->etag);
}

static void wrote(dg_machine *machine, int64_t offset, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  int64_t size = state->offer.size;
  int64_t part = offset * 4 / size;
  bool is_step = part != state->offset * 4 / size && offset < size;
  state->offset = offset;
  state->failures = 0;
  if (is_step)
    dg_queue_report(machine, now_ms, DG_OTA_DOWNLOADING, state->offer.version, (int)part * 25, "", "");
}

static void received(dg_machine *machine, const char *sha256, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char bytes[DG_MESSAGE_BYTES];
  dg_text message = dg_text_in(bytes, sizeof bytes);
  if (strcmp(sha256, state->offer.sha256) != 0) {
    dg_text_add(&message, "The SHA-256 of the downloaded image is ");
    dg_text_add(&message, sha256);
    dg_text_add(&message, ".");
    dg_fail_update(machine, now_ms, "hash_mismatch", bytes);
    return;
  }
  dg_queue_report(machine, now_ms, DG_OTA_DOWNLOADED, state->offer.version, -1, "", "");
  dg_queue_report(machine, now_ms, DG_OTA_VERIFIED, state->offer.version, -1, "", "");
  state->phase = DG_DOWNLOADED;
  state->offset = state->restarts = state->failures = state->attempts = 0;
  state->etag[0] = 0;
}

void dg_on_downloading(dg_machine *machine, const dg_update_event *event, int64_t now_ms) {
  dg_update_state *state = &machine->state;
  char version[DG_VERSION_BYTES];
  switch (event->kind) {
    case DG_ON_OPENED: opened(machine, event, now_ms); break;
    case DG_ON_WROTE: wrote(machine, event->offset, now_ms); break;
    case DG_ON_INTERRUPTED:
      if (++state->failures >= MAX_FAILURES) dg_fail_update(machine, now_ms, "download_failed", event->message);
      break;
    case DG_ON_GONE:
      dg_copy(version, sizeof version, state->offer.version);
      dg_cancel_update(machine, now_ms, event->message);
      dg_end(machine, DG_CANCELLED, version, "", event->message);
      break;
    case DG_ON_DOWNLOAD_REFUSED: dg_fail_update(machine, now_ms, event->code, event->message); break;
    default: received(machine, event->sha256, now_ms); break;
  }
}
