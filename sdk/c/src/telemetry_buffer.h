/*
 * Unsent records. Record n is stored under the key of the slot n modulo the number of slots, so that a new record
 * replaces the oldest one when the buffer is full. A record needs no sending once its number is at most `sent_id`.
 */
#ifndef DG_TELEMETRY_BUFFER_H
#define DG_TELEMETRY_BUFFER_H

#include "internal.h"

/* Finds the stored records. After DG_STORAGE, client->next_id is 0: the buffer must be opened again before any use. */
dg_status dg_open_buffer(dg_client *client);
/* Returns the number of the oldest unsent record. There is none if it is client->next_id. */
int64_t dg_oldest(const dg_client *client);
/* Loads a record into client->scratch: its text and length, NULL if it is lost. Returns false if the storage failed. */
bool dg_load_record(dg_client *client, int64_t id, char **record, size_t *length);
/*
 * Assigns the oldest records, at most `max_records`, to one request and makes that durable. After a crash or a failed
 * request, the same records get the same key, unless dg_give_up_key was called.
 */
dg_status dg_seal_batch(dg_client *client, int64_t max_records);
void dg_give_up_key(dg_client *client);
/* Makes durable that the records up to `last` need no sending. */
dg_status dg_finish_batch(dg_client *client, int64_t last);

#endif
