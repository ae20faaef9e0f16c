/* What the updater's files share. */
#ifndef DG_UPDATE_INTERNAL_H
#define DG_UPDATE_INTERNAL_H

#include "dg_update.h"

/* Versions (§1). */
bool dg_is_version(const char *text);
/* Compares two valid versions as numbers: -1, 0 or 1. */
int dg_compare_versions(const char *a, const char *b);

/* Decodes base64 (RFC 4648, section 4), without line breaks. Returns the length, or -1. */
int dg_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t size);
/* Converts a P-256 signature from strict DER to r and s. Returns false for any other encoding, BER included. */
bool dg_ecdsa_from_der(const uint8_t *der, size_t length, uint8_t raw[64]);

typedef struct dg_public_key {
  /* "ecdsa-p256-sha256", "ed25519", or NULL if the PEM is neither. */
  const char *algorithm;
  uint8_t bytes[65];
} dg_public_key;

dg_public_key dg_read_pem(const char *pem);

typedef struct dg_facts {
  const char *target_hardware;
  const char *running;
  const char *floor;
  int64_t capacity;
  const dg_pinned_key *keys;
  size_t key_count;
  const dg_crypto_port *crypto;
} dg_facts;

/* Returns why an offer is refused, such as "wrong_target", or NULL: first its fields, then its signature. */
const char *dg_assess_offer(const dg_offer *offer, const dg_facts *facts);

typedef enum dg_update_event_kind {
  DG_ON_BOOTED,
  DG_ON_OFFERED,
  DG_ON_NOT_OFFERED,
  DG_ON_UNAVAILABLE,
  DG_ON_OPENED,
  DG_ON_WROTE,
  DG_ON_INTERRUPTED,
  DG_ON_GONE,
  DG_ON_DOWNLOAD_REFUSED,
  DG_ON_FLASH_FAILED,
  DG_ON_RECEIVED,
  DG_ON_READ_BACK,
  DG_ON_ACTIVATED,
  DG_ON_INSTALL_FAILED,
  DG_ON_REBOOT_REQUESTED,
  DG_ON_CONFIRMED,
  DG_ON_SELF_TEST_FAILED,
  DG_ON_ROLLBACK_REQUESTED
} dg_update_event_kind;

/* The result of an effect. Only the members of its kind are used. */
typedef struct dg_update_event {
  dg_update_event_kind kind;
  const dg_offer *offer;
  const char *refusal; /* NULL: the offer is acceptable. */
  const char *running;
  const char *message;
  const char *code;
  const char *sha256;
  const char *etag;
  int64_t offset;
  int32_t retry_after_seconds;
} dg_update_event;

typedef enum dg_effect {
  DG_EFFECT_NONE,
  DG_EFFECT_CHECK,
  DG_EFFECT_DOWNLOAD,
  DG_EFFECT_READ_BACK,
  DG_EFFECT_INSTALL,
  DG_EFFECT_REBOOT,
  DG_EFFECT_TRY_OUT,
  DG_EFFECT_ROLL_BACK
} dg_effect;

void dg_initial_state(dg_update_state *state, const char *running);
/* The state machine. It is pure: the caller must store the state before it does anything else. Returns false if the
 * event is impossible in this phase, which is a fault of the caller. */
bool dg_transition(dg_machine *machine, const dg_update_event *event, int64_t now_ms);
/* Returns the next action. Each may be performed twice. */
dg_effect dg_next_effect(const dg_machine *machine);

/* Changes of a machine (machine_changes.c). */
void dg_enter_idle(dg_machine *machine);
void dg_queue_report(dg_machine *machine, int64_t now_ms, dg_ota_state state, const char *version, int progress,
                     const char *code, const char *message);
void dg_end(dg_machine *machine, dg_outcome_kind kind, const char *version, const char *code, const char *message);
void dg_fail_update(dg_machine *machine, int64_t now_ms, const char *code, const char *message);
void dg_record_roll_back(dg_machine *machine, int64_t now_ms, const char *code, const char *message);
void dg_cancel_update(dg_machine *machine, int64_t now_ms, const char *message);
const dg_trouble *dg_find_blocking_trouble(const dg_update_state *state, const char *sha256, int64_t now_ms);
void dg_on_downloading(dg_machine *machine, const dg_update_event *event, int64_t now_ms);
void dg_on_booted(dg_machine *machine, const char *running, int64_t now_ms);

/* The stored form of a state. Returns its length, 0 if it does not fit. */
size_t dg_write_state(const dg_update_state *state, uint8_t *bytes, size_t size);
/* Returns false if the bytes are not a state of this format. */
bool dg_read_state(dg_update_state *state, const uint8_t *bytes, size_t length);

/* Applies an event and stores the state. */
dg_status dg_update_apply(dg_updater *updater, const dg_update_event *event);
/* Performs the download and applies its events. */
dg_status dg_download(dg_updater *updater);
/* Hashes the first bytes of the slot. Returns false if the slot cannot be read. The hash stays open. */
bool dg_hash_slot(dg_updater *updater, int64_t bytes);
bool dg_end_hash(dg_updater *updater, char hex[DG_SHA256_HEX_BYTES]);

#endif
