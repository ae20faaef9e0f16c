/* What the device provides: structs of function pointers, each with a context that is passed to its functions. */
#ifndef DG_PORTS_H
#define DG_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dg_http_header {
  const char *name;
  const char *value;
} dg_http_header;

typedef struct dg_http_request {
  const char *method;
  const char *url;
  const dg_http_header *headers;
  size_t header_count;
  /* Length of the body. Without a body, 0, and `read_body` is NULL. */
  size_t content_length;
  /* Copies the next bytes of the body. Returns their number. 0 means the end. 0 before `content_length` bytes means that
   * the storage failed: end the request then. */
  size_t (*read_body)(void *context, void *bytes, size_t size);
  /* Starts the body again, for a port that sends a request again on a new connection. */
  void (*rewind_body)(void *context);
  void *body_context;
  /* Time until the response begins, and time without any data within it, in seconds. */
  uint32_t answer_seconds;
  uint32_t stall_seconds;
  /* Time for the whole exchange, from connecting to the end of the response, in seconds. End the request after this time,
   * because a server that sends a byte now and then must not hold the device. 0: no limit, for a download. */
  uint32_t total_seconds;
} dg_http_request;

/* Receives a response: its status, its headers, then its body in pieces. */
typedef struct dg_http_sink {
  void (*on_status)(void *context, int status);
  void (*on_header)(void *context, const char *name, const char *value);
  /* Returns false to end the request. */
  bool (*on_body)(void *context, const void *bytes, size_t length);
  void *context;
} dg_http_sink;

typedef struct dg_http_port {
  void *context;
  /*
   * Sends one request. It must check the server's certificate, follow no redirect and add no Authorization header.
   * Returns true if the whole response arrived, false if the connection failed or the sink ended it.
   */
  bool (*exchange)(void *context, const dg_http_request *request, const dg_http_sink *sink);
} dg_http_port;

#define DG_ABSENT (-1)
#define DG_FAILED (-2)

/* Stores values by key across power cuts. Keys have at most 12 characters of a-z 0-9 . (NVS, LittleFS, files). */
typedef struct dg_storage_port {
  void *context;
  /* Returns the length of the value, DG_ABSENT if there is none of at most `size` bytes, or DG_FAILED if it cannot be read
   * now. Return DG_ABSENT for a value that is damaged for good: after DG_FAILED, the client stores and sends no record until
   * it can read all of them. */
  int32_t (*load)(void *context, const char *key, void *bytes, size_t size);
  /* Returns true when the value is durable. After a power cut, the key has either the former or the new value. */
  bool (*save)(void *context, const char *key, const void *bytes, size_t length);
} dg_storage_port;

typedef struct dg_clock_port {
  void *context;
  /* Returns epoch milliseconds. 0 if the time is not known yet. */
  int64_t (*now_ms)(void *context);
  void (*wait_ms)(void *context, uint32_t ms);
} dg_clock_port;

typedef struct dg_crypto_port {
  void *context;
  /* Fills `bytes` with unpredictable bytes. Returns false if that is not possible. */
  bool (*random)(void *context, void *bytes, size_t length);
  /* An incremental SHA-256. The client computes one at a time. */
  bool (*sha256_begin)(void *context);
  bool (*sha256_update)(void *context, const void *bytes, size_t length);
  bool (*sha256_end)(void *context, uint8_t digest[32]);
  /* Verifies an ECDSA signature over P-256. `key` is the uncompressed point (65 bytes), `signature` is r and s. */
  bool (*verify_p256)(void *context, const uint8_t key[65], const uint8_t digest[32], const uint8_t signature[64]);
  /* Verifies an Ed25519 signature (RFC 8032). NULL if the firmware pins no such key. */
  bool (*verify_ed25519)(void *context, const uint8_t key[32], const void *message, size_t length,
                         const uint8_t signature[64]);
} dg_crypto_port;

/* The other slot for firmware, and the bootloader. The names in ESP-IDF are in brackets. */
typedef struct dg_firmware_port {
  void *context;
  /* Size of the slot in bytes. */
  uint32_t capacity;
  /* Erases the slot for an image (`esp_ota_begin`, or `esp_partition_erase_range`). */
  bool (*begin)(void *context, uint32_t size);
  /* Returns true when the bytes are durable. After a power cut, the same offset is written again. */
  bool (*write)(void *context, uint32_t offset, const void *bytes, size_t length);
  bool (*read)(void *context, uint32_t offset, void *bytes, size_t length);
  /* Durably selects the slot for the next start, on trial (`esp_ota_set_boot_partition`). */
  bool (*install)(void *context);
  /* Sets a flag and returns. Restart (`esp_restart`) when dg_update_run has returned and the command of an "update now"
   * is finished: see DG_UPDATE_NOW. */
  void (*reboot)(void *context);
  /* Confirms the running image (`esp_ota_mark_app_valid_cancel_rollback`). It also succeeds if there is nothing to confirm,
   * because the image is confirmed already or is the one from the factory. */
  bool (*confirm)(void *context);
  /* Restarts into the former image (`esp_ota_mark_app_invalid_rollback_and_reboot`). It may return in a test. */
  void (*roll_back)(void *context);
  /* Tests whether the running image works. Returns NULL, or what does not work. A watchdog must limit its time. It is
   * called at the start of an image on trial, and of one whose version is higher than each confirmed version. */
  const char *(*self_test)(void *context);
} dg_firmware_port;

#endif
