#include "telemetry_buffer.h"

#include <string.h>

#define SENT_KEY "sent"
#define SEAL_KEY "seal"
#define BATCH_BYTES (sizeof "{\"records\":[]}" - 1)
/* The stored form of a record: its checksum, its number, its JSON. */
#define HEAD_BYTES 12

static void slot_key(const dg_client *client, int64_t id, char key[12]) {
  dg_text text = dg_text_in(key, 12);
  dg_text_add(&text, "r");
  dg_text_add_number(&text, id % client->options.buffer_records);
}

/* Loads the record of a slot into client->scratch, which ends a record that was begun. Returns the length of its JSON,
 * DG_ABSENT or DG_FAILED. */
static int32_t load_slot(dg_client *client, int64_t id, int64_t *found) {
  char key[12];
  slot_key(client, id, key);
  client->recording_id = 0;
  int32_t length = dg_load(client, key, client->scratch, sizeof client->scratch - 1);
  if (length < 0) return length;
  if (length < HEAD_BYTES - 4) return DG_ABSENT;
  memcpy(found, client->scratch + 4, sizeof *found);
  return length - (HEAD_BYTES - 4);
}

dg_status dg_open_buffer(dg_client *client) {
  struct {
    uint32_t checksum;
    uint8_t id[8];
  } sent = {0};
  struct {
    uint32_t checksum;
    uint8_t bytes[sizeof(dg_seal)];
  } seal = {0};
  int32_t sent_length = dg_load(client, SENT_KEY, &sent, sizeof sent);
  int32_t seal_length = dg_load(client, SEAL_KEY, &seal, sizeof seal);
  if (sent_length == sizeof sent.id) memcpy(&client->sent_id, sent.id, sizeof sent.id);
  if (seal_length == sizeof seal.bytes) memcpy(&client->seal, seal.bytes, sizeof seal.bytes);
  bool is_broken = sent_length == DG_FAILED || seal_length == DG_FAILED;
  int64_t next_id = client->sent_id + 1;
  for (int64_t slot = 0; slot < client->options.buffer_records; slot++) {
    int64_t found = 0;
    int32_t length = load_slot(client, slot, &found);
    is_broken = is_broken || length == DG_FAILED;
    if (length >= 0 && found >= next_id) next_id = found + 1;
  }
  if (is_broken) return dg_fail(client, DG_STORAGE, "The buffer could not be read.");
  client->next_id = next_id;
  return DG_OK;
}

int64_t dg_oldest(const dg_client *client) {
  int64_t kept = client->next_id - client->options.buffer_records;
  return kept > client->sent_id ? kept : client->sent_id + 1;
}

uint32_t dg_waiting(const dg_client *client) {
  return client->next_id == 0 ? 0 : (uint32_t)(client->next_id - dg_oldest(client));
}

bool dg_load_record(dg_client *client, int64_t id, char **record, size_t *length) {
  int64_t found = 0;
  int32_t loaded = load_slot(client, id, &found);
  *length = loaded < 0 || found != id ? 0 : (size_t)loaded;
  *record = *length == 0 ? NULL : client->scratch + HEAD_BYTES;
  return loaded != DG_FAILED;
}

void dg_record_begin(dg_client *client, dg_text *record, int64_t at_ms) {
  /* A failure is returned by dg_record_end. */
  if (client->next_id == 0) dg_open_buffer(client);
  *record = dg_text_in(client->scratch + HEAD_BYTES, DG_RECORD_BYTES);
  client->recording_id = client->next_id;
  if (at_ms == 0) at_ms = dg_now(client);
  dg_json_open(record, NULL, '{');
  /* Without a time, the server takes the time of receipt. */
  if (at_ms > 0) dg_json_integer(record, "timestamp", at_ms);
  dg_json_integer(record, "seq", client->recording_id);
}

dg_status dg_record_end(dg_client *client, dg_text *record) {
  char key[12];
  int64_t id = client->recording_id;
  dg_json_close(record, '}');
  if (client->next_id == 0) return dg_fail(client, DG_STORAGE, "The buffer could not be read.");
  if (id != client->next_id || record->bytes != client->scratch + HEAD_BYTES)
    return dg_fail(client, DG_INVALID, "Call dg_record_begin first, and no other function in between.");
  client->recording_id = 0;
  if (record->overflow)
    return dg_fail(client, DG_TOO_LARGE, "The record is too long. Split it, or raise DG_RECORD_BYTES.");
  int64_t oldest = dg_oldest(client);
  memcpy(client->scratch + 4, &id, sizeof id);
  slot_key(client, id, key);
  if (!dg_save(client, key, client->scratch, HEAD_BYTES - 4 + record->length))
    return dg_fail(client, DG_STORAGE, "The record could not be stored.");
  client->next_id = id + 1;
  if (dg_oldest(client) > oldest && client->options.on_event != NULL)
    client->options.on_event(client->options.event_context, DG_DROPPED_FULL, oldest);
  return DG_OK;
}

/* Returns the number of the last record of the next request, or 0 if the storage failed. */
static int64_t choose_last(dg_client *client, int64_t max_records) {
  int64_t oldest = dg_oldest(client);
  int64_t last = 0;
  size_t bytes = BATCH_BYTES;
  for (int64_t id = oldest; id < client->next_id && id < oldest + max_records; id++) {
    char *record;
    size_t length;
    if (!dg_load_record(client, id, &record, &length)) return 0;
    bytes += length + 1;
    if (bytes > DG_TELEMETRY_BODY_BYTES && last != 0) break;
    last = id;
  }
  return last;
}

dg_status dg_seal_batch(dg_client *client, int64_t max_records) {
  static const char hex[] = "0123456789abcdef";
  const dg_crypto_port *crypto = client->options.ports.crypto;
  struct {
    uint32_t checksum;
    uint8_t bytes[sizeof(dg_seal)];
  } stored;
  uint8_t random[(DG_IDEMPOTENCY_KEY_BYTES - 1) / 2];
  dg_seal seal = {.first = dg_oldest(client)};
  bool is_sealed = client->seal.first == seal.first && client->seal.last >= seal.first &&
                   client->seal.last < client->next_id;
  if (is_sealed) return DG_OK;
  seal.last = choose_last(client, max_records);
  if (seal.last == 0) return dg_fail(client, DG_STORAGE, "A record could not be read.");
  if (!crypto->random(crypto->context, random, sizeof random))
    return dg_fail(client, DG_STORAGE, "There is no source of random numbers.");
  for (size_t i = 0; i < sizeof random; i++) {
    seal.key[2 * i] = hex[random[i] >> 4];
    seal.key[2 * i + 1] = hex[random[i] & 15];
  }
  memcpy(stored.bytes, &seal, sizeof seal);
  if (!dg_save(client, SEAL_KEY, &stored, sizeof stored.bytes))
    return dg_fail(client, DG_STORAGE, "The batch could not be stored.");
  client->seal = seal;
  return DG_OK;
}

void dg_give_up_key(dg_client *client) { client->seal.last = 0; }

dg_status dg_finish_batch(dg_client *client, int64_t last) {
  struct {
    uint32_t checksum;
    uint8_t id[8];
  } sent;
  memcpy(sent.id, &last, sizeof sent.id);
  if (!dg_save(client, SENT_KEY, &sent, sizeof sent.id))
    return dg_fail(client, DG_STORAGE, "The end of the batch could not be stored.");
  client->sent_id = last;
  return DG_OK;
}
