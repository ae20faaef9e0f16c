/*
 * A device of the gateway: it signs in, sends telemetry through a buffer that survives power cuts, and reads its
 * configuration. Section numbers refer to docs/specification.md.
 *
 * The client never allocates memory. All calls block, and a client must be used from one task at a time.
 */
#ifndef DG_CLIENT_H
#define DG_CLIENT_H

#include "device_gateway_contract.h"
#include "dg_json.h"
#include "dg_limits.h"
#include "dg_ports.h"

/* Error codes of the server. DG_PROBLEM_NONE: the response is none of the errors that this version knows. */
typedef enum dg_problem {
  DG_PROBLEM_NONE,
#define DG_PROBLEM_ENTRY(name, code, status) DG_PROBLEM_##name,
  DG_PROBLEMS(DG_PROBLEM_ENTRY)
#undef DG_PROBLEM_ENTRY
} dg_problem;

/* Returns the code of an error, such as "invalid_credentials". "" for DG_PROBLEM_NONE. */
const char *dg_problem_code(dg_problem problem);

typedef enum dg_status {
  DG_OK,
  /* No whole response arrived. It is unknown whether the request took effect. */
  DG_NETWORK,
  /* The response did not come from the API: a wrong address, a captive portal, a proxy. */
  DG_UNEXPECTED_ANSWER,
  /* The server returned an error: see `problem` and `message`. */
  DG_REFUSED,
  DG_STORAGE,
  /* A record, a URL or an answer does not fit into its buffer: see dg_limits.h. */
  DG_TOO_LARGE,
  /* An argument or option is invalid. */
  DG_INVALID
} dg_status;

/* The last error of a client. */
typedef struct dg_error {
  dg_status status;
  dg_problem problem;
  /* 0 if no response arrived. An error whose body broke off has its status, as DG_NETWORK. */
  int http_status;
  /* Seconds to wait before the next attempt, at most 3,600. -1 if the server did not ask for a delay. */
  int32_t retry_after_seconds;
  /* The device could not sign in. The error is about its identity, and the request itself was not sent. */
  bool sign_in_failed;
  /* What is wrong and what to do, for logs. */
  char message[DG_MESSAGE_BYTES];
} dg_error;

/* What the device says about itself (§1). Optional members may be NULL. The client keeps the pointers. */
typedef struct dg_identity {
  const char *device_id;
  const char *hardware_id;
  const char *firmware_version;
  const char *claim_code;
  const char *target_hardware;
  const char *hardware_platform;
  const char *hardware_model;
  const char *board_profile;
  const char *hardware_fingerprint;
  /* A JSON object of booleans, such as {"externalDownload":true}. */
  const char *capabilities;
} dg_identity;

typedef struct dg_ports {
  const dg_http_port *http;
  const dg_storage_port *storage;
  const dg_clock_port *clock;
  const dg_crypto_port *crypto;
} dg_ports;

/* What the device did on its own. */
typedef enum dg_event {
  DG_REGISTERED,
  DG_LOGGED_IN,
  /* Waits `number` milliseconds because of client->error. */
  DG_RETRYING,
  /* Record `number` was dropped because the buffer was full. */
  DG_DROPPED_FULL,
  /* Record `number` was dropped because the server refuses every request with it. See client->error. */
  DG_DROPPED_REFUSED
} dg_event;

typedef struct dg_options {
  /* Where the gateway is mounted, such as "https://gateway.example.com", without a slash at the end. */
  const char *base_url;
  dg_identity identity;
  dg_ports ports;
  /* Number of records that the buffer keeps. Above it, the oldest are dropped. 0: 256. Drain the buffer before a
   * change. */
  uint32_t buffer_records;
  /* Attempts of one call. 0: 5. */
  uint32_t tries;
  /* Longest first delay in milliseconds; each later one may be twice as long. 0: 1,000. */
  uint32_t base_wait_ms;
  /* Longest delay in milliseconds. A call fails if the server asks for a longer one. A wait lasts at most twice as
   * long, because a random time is added to what the server asks for. 0: 60,000. */
  uint32_t max_wait_ms;
  /* Optional. */
  void (*on_event)(void *context, dg_event event, int64_t number);
  void *event_context;
} dg_options;

/* The records of one request and its Idempotency-Key. */
typedef struct dg_seal {
  int64_t first;
  int64_t last;
  char key[DG_IDEMPOTENCY_KEY_BYTES];
} dg_seal;

typedef struct dg_client {
  dg_error error;
  dg_options options;
  /* Number of the next record, and of the last one that needs no sending. 0 until the buffer could be read. */
  int64_t next_id;
  int64_t sent_id;
  dg_seal seal;
  int64_t recording_id;
  char config_version[DG_ETAG_BYTES];
  char bearer[sizeof "Bearer " + DG_TOKEN_BYTES];
  char scratch[DG_RECORD_BYTES + 16];
} dg_client;

/* Creates a client and reads its buffer. DG_INVALID, DG_STORAGE. After DG_STORAGE the client can be used:
 * dg_record_begin and dg_flush read the buffer again. */
dg_status dg_client_open(dg_client *client, const dg_options *options);

/* Logs in with the stored secret, or registers (§1, §2). Optional: every call signs in when necessary. */
dg_status dg_connect(dg_client *client);

/*
 * Starts a record. It gets the time `at_ms` (epoch milliseconds; 0: now) and its number as `seq`, so that the server
 * recognises it whenever it is sent again (§4). Without a clock it gets no time, and the server may store it twice
 * (README.md). Add values with the functions dg_json_*, then call dg_record_end. Call no other function of the client in
 * between: a request uses the same memory, so dg_record_end then returns DG_INVALID.
 */
void dg_record_begin(dg_client *client, dg_text *record, int64_t at_ms);
/* Stores the record until it is sent. After DG_OK it is durable on this device. DG_TOO_LARGE, DG_STORAGE,
 * DG_INVALID. */
dg_status dg_record_end(dg_client *client, dg_text *record);
/* Returns the number of unsent records. */
uint32_t dg_waiting(const dg_client *client);

/* The result of a flush. */
typedef struct dg_flush_report {
  int64_t accepted;
  /* Records that the server already had, because an earlier response was lost. */
  int64_t duplicates;
  /* Records that the server rejected one by one (§4), and the code of the first in the last response. */
  int64_t rejected;
  char rejected_code[DG_CODE_BYTES];
  /* Records that were dropped because the server refused every request with them. */
  int64_t refused;
  /* The server's time in epoch milliseconds. 0 if there was no response. Set the clock with it. */
  int64_t server_time_ms;
  bool update_available;
  /* A command waits for the device: see dg_commands.h. */
  bool commands_waiting;
  /* The server's configuration is not the one that was read last. */
  bool config_changed;
} dg_flush_report;

/* Sends all stored records. After an error, also of the storage, the rest stays for the next flush. Without records it
 * sends nothing. */
dg_status dg_flush(dg_client *client, dg_flush_report *report);
/* Sends a batch without records: the response has the server's time. */
dg_status dg_check_in(dg_client *client, dg_flush_report *report);

typedef struct dg_config {
  int64_t telemetry_interval_seconds;
  bool ota_enabled;
  /* "" unless an "update now" of the owner waits (§8). Check for an update, then answer it. */
  char update_request_id[DG_ID_BYTES];
  /* A command waits for the device: see dg_commands.h. */
  bool commands_waiting;
} dg_config;

/*
 * Reads the configuration into `config`, and the settings of your own schema into the values of `own`. The server
 * sends it only if it has changed, so pass the same `config` and `own` each time. Settings that it lacks do not change.
 * Ignore both after an error.
 */
dg_status dg_read_config(dg_client *client, dg_config *config, const dg_json_field *own, size_t own_count);

/* Answers an "update now", for example with the status "no-update-available" (§8). `message` may be NULL. */
dg_status dg_answer_update_request(dg_client *client, const char *request_id, const char *status,
                                   const char *message);

#endif
