/*
 * Firmware updates (§6): checks, downloads, verifies and installs. A port of the reference updater, whose rules are in
 * packages/device-client/UPDATER.md. It survives a power cut at any point.
 */
#ifndef DG_UPDATE_H
#define DG_UPDATE_H

#include "dg_client.h"

/* The part of the server's offer that the updater uses. A text that is too long is "", which is refused. */
typedef struct dg_offer {
  char version[DG_VERSION_BYTES];
  char target_hardware[DG_TARGET_BYTES];
  /* Byte for byte as it was signed. */
  char released_at[40];
  char sha256[DG_SHA256_HEX_BYTES];
  char signature[128];
  char signing_key_id[65];
  char signature_algorithm[DG_CODE_BYTES];
  int64_t size;
  char download_url[DG_URL_BYTES];
} dg_offer;

typedef enum dg_phase {
  DG_IDLE,
  DG_DOWNLOADING,
  DG_DOWNLOADED,
  DG_INSTALLING,
  DG_TRIAL,
  DG_ROLLING_BACK
} dg_phase;

typedef enum dg_ota_state {
#define DG_OTA_STATE_ENTRY(name, word) DG_OTA_##name,
  DG_OTA_STATES(DG_OTA_STATE_ENTRY)
#undef DG_OTA_STATE_ENTRY
} dg_ota_state;

/* Returns the word of a state, such as "rolled_back". */
const char *dg_ota_state_word(dg_ota_state state);

/* The body of POST /ota/events. */
typedef struct dg_report {
  uint8_t state;
  /* Percent. -1: absent. */
  int8_t progress;
  char version[DG_VERSION_BYTES];
  char code[DG_CODE_BYTES];
  char message[DG_MESSAGE_BYTES];
  int64_t at_ms;
} dg_report;

#define DG_NEVER INT64_MAX

/* An image that failed on this device. */
typedef struct dg_trouble {
  char sha256[DG_SHA256_HEX_BYTES];
  int64_t failures;
  /* Epoch milliseconds, or DG_NEVER. */
  int64_t retry_at_ms;
} dg_trouble;

/* Everything that the updater keeps across power cuts. If it is lost, the running image must pass its self-test and is
 * confirmed at the next start, and the troubles are forgotten. */
typedef struct dg_update_state {
  /* The highest version that was ever confirmed. A lower one is never installed. */
  char floor[DG_VERSION_BYTES];
  dg_phase phase;
  /* From here to `message`: what the phase needs. Unused members are 0. */
  dg_offer offer;
  int64_t offset;
  /* A strong ETag, or "". */
  char etag[DG_ETAG_BYTES];
  int64_t restarts;
  int64_t failures;
  int64_t attempts;
  int64_t boots;
  char from[DG_VERSION_BYTES];
  char code[DG_CODE_BYTES];
  char message[DG_MESSAGE_BYTES];
  int64_t trouble_count;
  dg_trouble troubles[DG_MAX_TROUBLES];
  /* The last reported refusal, so that it is reported only once. */
  char refusal[DG_CODE_BYTES + DG_VERSION_BYTES + DG_SHA256_HEX_BYTES];
  int64_t report_count;
  dg_report reports[DG_MAX_REPORTS];
} dg_update_state;

/* A public key in the firmware. Its type determines the algorithm; an offer cannot choose it. */
typedef struct dg_pinned_key {
  const char *id;
  /* P-256 or Ed25519, as SPKI in PEM (`-----BEGIN PUBLIC KEY-----`). */
  const char *pem;
} dg_pinned_key;

typedef struct dg_update_options {
  const dg_firmware_port *firmware;
  /* The hardware of this device. Releases for other hardware are refused. */
  const char *target_hardware;
  /* The version of the running image, read from the image itself. */
  const char *running;
  /* At least one. Pin two, so that one can be replaced. */
  const dg_pinned_key *keys;
  size_t key_count;
} dg_update_options;

typedef enum dg_outcome_kind {
  DG_RUNNING,
  /* Nothing to do until the next check. */
  DG_UP_TO_DATE,
  /* Run again after `retry_after_seconds`, or at the next check if it is -1. Progress is kept. */
  DG_LATER,
  /* The firmware port was told to restart the device. Finish the command of an "update now", then restart. */
  DG_RESTARTING,
  /* The image failed on this device. It is not tried until `until_ms`. */
  DG_HELD,
  /* The failure was reported. The next checks return DG_HELD for a while. */
  DG_FAILED_UPDATE,
  /* No pinned key signed the offer, or it is not for this device: see `code`. */
  DG_REFUSED_OFFER,
  /* The server no longer offers the update. */
  DG_CANCELLED
} dg_outcome_kind;

typedef struct dg_outcome {
  dg_outcome_kind kind;
  char version[DG_VERSION_BYTES];
  char code[DG_CODE_BYTES];
  char message[DG_MESSAGE_BYTES];
  int64_t until_ms;
  int32_t retry_after_seconds;
} dg_outcome;

/* The state machine: the stored state, and what belongs to this run only. */
typedef struct dg_machine {
  dg_update_state state;
  char running[DG_VERSION_BYTES];
  /* Whether this run has asked the server. */
  bool checked;
  dg_outcome ended;
} dg_machine;

/* Longest stored form of a state. */
#define DG_STATE_BYTES                                                                                            \
  (sizeof(dg_offer) + DG_ETAG_BYTES + 2 * DG_VERSION_BYTES + DG_CODE_BYTES + DG_MESSAGE_BYTES + 256 +              \
   DG_MAX_TROUBLES * (DG_SHA256_HEX_BYTES + 24) + DG_MAX_REPORTS * sizeof(dg_report))

typedef struct dg_updater {
  dg_client *client;
  dg_update_options options;
  dg_machine machine;
  /* Whether `machine` has the stored state, and whether that state includes this start of the device. */
  bool is_loaded;
  bool has_booted;
  /* Length and checksum of the stored state. */
  size_t saved_length;
  uint32_t saved_checksum;
  /* The offer of the last check. */
  dg_offer offer;
  uint8_t bytes[DG_STATE_BYTES];
} dg_updater;

/* Creates an updater. DG_INVALID if an option is missing, or `running` or a key is invalid: see client->error. */
dg_status dg_update_open(dg_updater *updater, dg_client *client, const dg_update_options *options);

/*
 * Checks for an update and continues it as far as possible. Call it after each start and at each check. DG_STORAGE if
 * the state could not be stored or the image not be confirmed; otherwise DG_OK, with the outcome in `outcome`.
 */
dg_status dg_update_run(dg_updater *updater, dg_outcome *outcome);

#endif
