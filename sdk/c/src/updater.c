/* The loop: performs an effect, applies its events, stores the state, and repeats. */
#include <string.h>

#include "internal.h"
#include "update_network.h"

#define STATE_KEY "update"

static const char *const words[] = {
#define ENTRY(name, word) word,
    DG_OTA_STATES(ENTRY)
#undef ENTRY
};

const char *dg_ota_state_word(dg_ota_state state) { return words[state]; }

dg_status dg_update_open(dg_updater *updater, dg_client *client, const dg_update_options *options) {
  memset(updater, 0, sizeof *updater);
  updater->client = client;
  updater->options = *options;
  if (options->firmware == NULL || options->target_hardware == NULL || options->running == NULL)
    return dg_fail(client, DG_INVALID, "firmware, target_hardware and running are required.");
  if (strlen(options->target_hardware) >= DG_TARGET_BYTES)
    return dg_fail(client, DG_INVALID, "target_hardware is too long. Raise DG_TARGET_BYTES.");
  if (!dg_is_version(options->running))
    return dg_fail(client, DG_INVALID, "running is not a version. Use major.minor.patch.");
  if (options->key_count == 0) return dg_fail(client, DG_INVALID, "Pin at least one public key.");
  for (size_t i = 0; i < options->key_count; i++)
    if (dg_read_pem(options->keys[i].pem).algorithm == NULL)
      return dg_fail(client, DG_INVALID, "A pinned key is not a P-256 or Ed25519 public key in PEM.");
  return DG_OK;
}

/* Stores the state if it has changed. */
static dg_status save(dg_updater *updater) {
  uint8_t *bytes = updater->bytes + sizeof(uint32_t);
  size_t length = dg_write_state(&updater->machine.state, bytes, sizeof updater->bytes - sizeof(uint32_t));
  uint32_t checksum = dg_crc32(bytes, length);
  if (length == updater->saved_length && checksum == updater->saved_checksum) return DG_OK;
  updater->saved_length = 0;
  if (length == 0 || !dg_save(updater->client, STATE_KEY, updater->bytes, length))
    return dg_fail(updater->client, DG_STORAGE, "The update state could not be stored.");
  updater->saved_length = length;
  updater->saved_checksum = checksum;
  return DG_OK;
}

dg_status dg_update_apply(dg_updater *updater, const dg_update_event *event) {
  if (!dg_transition(&updater->machine, event, dg_now(updater->client)))
    return dg_fail(updater->client, DG_INVALID, "An event arrived in a phase that cannot have it.");
  return save(updater);
}

/*
 * An image that the stored state does not explain may be on trial: the state was lost, or this updater did not install
 * the image. Tests and confirms it. Returns false if it is not confirmed, so that its version must not raise the floor.
 */
static bool confirm_unknown(const dg_updater *updater) {
  const dg_firmware_port *firmware = updater->options.firmware;
  const dg_update_state *state = &updater->machine.state;
  if (state->phase > DG_DOWNLOADED || dg_compare_versions(updater->options.running, state->floor) <= 0) return true;
  return firmware->self_test(firmware->context) == NULL && firmware->confirm(firmware->context);
}

/* Loads the stored state, and tells it once that the device has started. A damaged state counts as missing. */
static dg_status load(dg_updater *updater) {
  dg_update_state *state = &updater->machine.state;
  const dg_update_event booted = {.kind = DG_ON_BOOTED, .running = updater->options.running};
  char floor[DG_VERSION_BYTES];
  int32_t length = dg_load(updater->client, STATE_KEY, updater->bytes, sizeof updater->bytes);
  if (length == DG_FAILED) return dg_fail(updater->client, DG_STORAGE, "The update state could not be read.");
  if (length < 0 || !dg_read_state(state, updater->bytes + sizeof(uint32_t), (size_t)length))
    dg_initial_state(state, "0.0.0");
  updater->is_loaded = true;
  if (updater->has_booted) return DG_OK;
  dg_copy(floor, sizeof floor, state->floor);
  bool is_confirmed = confirm_unknown(updater);
  dg_transition(&updater->machine, &booted, dg_now(updater->client));
  if (!is_confirmed) dg_copy(state->floor, sizeof state->floor, floor);
  dg_status status = save(updater);
  updater->has_booted = status == DG_OK;
  return status;
}

/*
 * Delivers the waiting reports in order. After one that cannot be delivered, the run sends no more. An image on trial
 * runs its self-test first, because a power cut before that blocks it for good.
 */
static dg_status deliver(dg_updater *updater, bool *is_blocked) {
  dg_update_state *state = &updater->machine.state;
  if (*is_blocked || dg_next_effect(&updater->machine) == DG_EFFECT_TRY_OUT) return DG_OK;
  while (state->report_count > 0) {
    if (dg_deliver_report(updater->client, &state->reports[0]) == DG_REPORT_UNDELIVERED) {
      *is_blocked = true;
      break;
    }
    state->report_count--;
    memmove(state->reports, state->reports + 1, (size_t)state->report_count * sizeof *state->reports);
  }
  return save(updater);
}

static dg_status read_back(dg_updater *updater) {
  char sha256[DG_SHA256_HEX_BYTES] = "";
  bool is_read = dg_hash_slot(updater, updater->machine.state.offer.size) && dg_end_hash(updater, sha256);
  const dg_update_event event = {.kind = is_read ? DG_ON_READ_BACK : DG_ON_FLASH_FAILED,
                                 .sha256 = sha256,
                                 .message = "The slot could not be read."};
  return dg_update_apply(updater, &event);
}

static dg_status try_out(dg_updater *updater) {
  const dg_firmware_port *firmware = updater->options.firmware;
  const char *reason = firmware->self_test(firmware->context);
  const dg_update_event event = {.kind = reason == NULL ? DG_ON_CONFIRMED : DG_ON_SELF_TEST_FAILED,
                                 .message = reason};
  if (reason == NULL && !firmware->confirm(firmware->context))
    return dg_fail(updater->client, DG_STORAGE, "The running image could not be confirmed.");
  return dg_update_apply(updater, &event);
}

static dg_status perform(dg_updater *updater, dg_effect effect, bool *is_blocked) {
  const dg_firmware_port *firmware = updater->options.firmware;
  dg_update_event event = {.kind = DG_ON_ACTIVATED};
  dg_status status;
  switch (effect) {
    case DG_EFFECT_CHECK:
      dg_check_offer(updater, &event);
      return dg_update_apply(updater, &event);
    case DG_EFFECT_DOWNLOAD: return dg_download(updater);
    case DG_EFFECT_READ_BACK: return read_back(updater);
    case DG_EFFECT_INSTALL:
      if (!firmware->install(firmware->context)) {
        event.kind = DG_ON_INSTALL_FAILED;
        event.message = "The slot could not be activated.";
      }
      return dg_update_apply(updater, &event);
    case DG_EFFECT_REBOOT:
      firmware->reboot(firmware->context);
      event.kind = DG_ON_REBOOT_REQUESTED;
      return dg_update_apply(updater, &event);
    case DG_EFFECT_TRY_OUT: return try_out(updater);
    default:
      event.kind = DG_ON_ROLLBACK_REQUESTED;
      status = dg_update_apply(updater, &event);
      if (status == DG_OK) status = deliver(updater, is_blocked);
      if (status == DG_OK) firmware->roll_back(firmware->context);
      return status;
  }
}

dg_status dg_update_run(dg_updater *updater, dg_outcome *outcome) {
  dg_machine *machine = &updater->machine;
  bool is_blocked = false;
  dg_status status = DG_OK;
  machine->checked = false;
  machine->ended.kind = DG_RUNNING;
  if (!updater->is_loaded) status = load(updater);
  if (status == DG_OK) status = deliver(updater, &is_blocked);
  while (status == DG_OK && machine->ended.kind == DG_RUNNING) {
    status = perform(updater, dg_next_effect(machine), &is_blocked);
    if (status == DG_OK) status = deliver(updater, &is_blocked);
  }
  /* The next run starts from the stored state, because this one may be ahead of it. */
  if (status != DG_OK) updater->is_loaded = false;
  *outcome = machine->ended;
  return status;
}
