/* Ports for Linux and other systems with POSIX, libcurl, Mbed TLS 2.28 and libsodium. */
#ifndef DG_HOST_H
#define DG_HOST_H

#include "dg_ports.h"

/* HTTP with libcurl. `ca_file` may be NULL for the system's certificates. */
typedef struct dg_host_http {
  void *curl;
  const char *ca_file;
} dg_host_http;
bool dg_host_http_open(dg_host_http *host, dg_http_port *port);
void dg_host_http_close(dg_host_http *host);

/* One file per key in `folder`, which must exist. A file is replaced by write, fsync and rename. */
typedef struct dg_host_storage {
  const char *folder;
} dg_host_storage;
void dg_host_storage_open(dg_host_storage *host, const char *folder, dg_storage_port *port);

void dg_host_clock_open(dg_clock_port *port);
/* Converts a time of the system to epoch milliseconds. Returns 0 for a time up to November 2023: without a battery, the
 * clock of a system starts in the past. */
int64_t dg_host_to_epoch_ms(int64_t seconds, long nanoseconds);

/* SHA-256 and ECDSA with Mbed TLS, Ed25519 and random numbers with libsodium. */
typedef struct dg_host_crypto {
  void *hash;
} dg_host_crypto;
bool dg_host_crypto_open(dg_host_crypto *host, dg_crypto_port *port);
void dg_host_crypto_close(dg_host_crypto *host);

/*
 * Two slots for firmware in files, and a bootloader that rolls back like that of ESP-IDF: an image that was not
 * confirmed runs once. An image begins with `IMAGE <version> <behaviour>` and a newline; the behaviour is `good` or
 * `fails_self_test`. For tests and for a look at an update; it restarts nothing.
 */
typedef struct dg_host_firmware {
  const char *folder;
  char running[32];
  bool fails_self_test;
  /* Set by reboot and roll_back. Call dg_host_firmware_boot then. */
  bool must_restart;
} dg_host_firmware;
/* Starts the device: chooses the slot and reads the version of its image. A new folder runs `first_version`. */
bool dg_host_firmware_boot(dg_host_firmware *host, const char *folder, const char *first_version,
                           dg_firmware_port *port);

/* Replaces a file: after a power cut it has either its former or its new content. */
bool dg_host_replace_file(const char *folder, const char *name, const void *bytes, size_t length);

#endif
