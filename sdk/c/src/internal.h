/* What the client's files share. */
#ifndef DG_INTERNAL_H
#define DG_INTERNAL_H

#include "dg_client.h"

/* Copies a text. Cuts one that is too long. */
void dg_copy(char *to, size_t size, const char *from);
bool dg_starts_with(const char *text, const char *start);
uint32_t dg_crc32(const void *bytes, size_t length);

/* Loads and saves a value with its checksum. The first 4 bytes of `bytes` are the checksum's. The lengths exclude
 * them. A damaged value is DG_ABSENT. */
int32_t dg_load(const dg_client *client, const char *key, void *bytes, size_t size);
bool dg_save(const dg_client *client, const char *key, void *bytes, size_t length);

/* Times. ISO 8601 in UTC with milliseconds needs 25 bytes. -1 stands for a text that is not a time. */
void dg_format_time(int64_t epoch_ms, char text[25]);
int64_t dg_parse_time(const char *text);
/* Parses Retry-After, a number or a date (RFC 9110, section 10.2.3). Returns seconds, at most an hour, or -1. A date
 * without a clock is -1. */
int32_t dg_parse_retry_after(const char *text, int64_t now_ms);
bool dg_same_header(const char *name, const char *lower_case);
/* Returns epoch milliseconds. 0 if the time is not known. */
int64_t dg_now(const dg_client *client);

/* Sets client->error and returns its status. */
dg_status dg_fail(dg_client *client, dg_status status, const char *message);
/* The same for a success that the API cannot have sent. Its http_status is 200, whichever success it was. */
dg_status dg_fail_unexpected(dg_client *client);

/* One request with a JSON response. */
typedef struct dg_call {
  const char *method;
  const char *path;
  const char *query;
  dg_http_header headers[2];
  size_t header_count;
  /* The body: a text, or a length with functions. NULL and 0: none. */
  const char *text;
  size_t content_length;
  size_t (*read_body)(void *context, void *bytes, size_t size);
  void (*rewind_body)(void *context);
  void *body_context;
  /* The fields of a success. A 304 has none. Those that a success lacks are 0, false or "". */
  const dg_json_field *fields;
  size_t field_count;
  /* How many of the fields, the last ones, belong to the caller. They keep their values if a success lacks them. */
  size_t own_count;
  /* The request has If-None-Match, so a 304 is a success. */
  bool accepts_304;
  /* Whether the request may be sent again after its response was lost. After 429 it always may. */
  bool is_repeatable;
  bool has_no_token;
  /* How much longer than usual the response may take. */
  uint32_t wait_seconds;
  uint32_t tries;
} dg_call;

/* Sends one request without retries. Sets client->error, and `has_begun` if a success arrived, whole or not. */
dg_status dg_exchange(dg_client *client, const dg_call *call, bool *has_begun);
/* Sends a request, with retries. */
dg_status dg_retry(dg_client *client, const dg_call *call);
/* Sends a request with the device's token and retries. After a 401 it signs in again, once. */
dg_status dg_send(dg_client *client, const dg_call *call);
/* Sends a report, whose call has no fields. Only the API's own answer is DG_OK, and not the page of a captive portal. */
dg_status dg_send_report(dg_client *client, const dg_call *call);

#endif
