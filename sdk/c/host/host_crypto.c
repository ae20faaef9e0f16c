#include <mbedtls/ecdsa.h>
#include <mbedtls/sha256.h>
#include <sodium.h>
#include <stdlib.h>

#include "dg_host.h"

static bool fill_random(void *context, void *bytes, size_t length) {
  (void)context;
  randombytes_buf(bytes, length);
  return true;
}

static bool sha256_begin(void *context) {
  dg_host_crypto *host = context;
  return mbedtls_sha256_starts_ret(host->hash, 0) == 0;
}

static bool sha256_update(void *context, const void *bytes, size_t length) {
  dg_host_crypto *host = context;
  return mbedtls_sha256_update_ret(host->hash, bytes, length) == 0;
}

static bool sha256_end(void *context, uint8_t digest[32]) {
  dg_host_crypto *host = context;
  return mbedtls_sha256_finish_ret(host->hash, digest) == 0;
}

static bool verify_p256(void *context, const uint8_t key[65], const uint8_t digest[32],
                        const uint8_t signature[64]) {
  mbedtls_ecp_group group;
  mbedtls_ecp_point point;
  mbedtls_mpi r, s;
  (void)context;
  mbedtls_ecp_group_init(&group);
  mbedtls_ecp_point_init(&point);
  mbedtls_mpi_init(&r);
  mbedtls_mpi_init(&s);
  bool is_valid = mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) == 0 &&
                  mbedtls_ecp_point_read_binary(&group, &point, key, 65) == 0 &&
                  mbedtls_ecp_check_pubkey(&group, &point) == 0 &&
                  mbedtls_mpi_read_binary(&r, signature, 32) == 0 &&
                  mbedtls_mpi_read_binary(&s, signature + 32, 32) == 0 &&
                  mbedtls_ecdsa_verify(&group, digest, 32, &point, &r, &s) == 0;
  mbedtls_mpi_free(&s);
  mbedtls_mpi_free(&r);
  mbedtls_ecp_point_free(&point);
  mbedtls_ecp_group_free(&group);
  return is_valid;
}

static bool verify_ed25519(void *context, const uint8_t key[32], const void *message, size_t length,
                           const uint8_t signature[64]) {
  (void)context;
  return crypto_sign_ed25519_verify_detached(signature, message, length, key) == 0;
}

bool dg_host_crypto_open(dg_host_crypto *host, dg_crypto_port *port) {
  mbedtls_sha256_context *hash = malloc(sizeof *hash);
  host->hash = hash;
  if (hash == NULL || sodium_init() < 0) return false;
  mbedtls_sha256_init(hash);
  *port = (dg_crypto_port){host, fill_random, sha256_begin, sha256_update, sha256_end, verify_p256, verify_ed25519};
  return true;
}

void dg_host_crypto_close(dg_host_crypto *host) {
  mbedtls_sha256_free(host->hash);
  free(host->hash);
}
