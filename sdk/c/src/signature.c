/* Encodings of keys and signatures. */
#include <string.h>

#include "update_internal.h"

static int base64_value(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

int dg_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t size) {
  uint32_t bits = 0;
  int bit_count = 0;
  size_t decoded = 0;
  if (length % 4 != 0) return -1;
  size_t padding = length > 0 && text[length - 1] == '=' ? (text[length - 2] == '=' ? 2 : 1) : 0;
  for (size_t i = 0; i < length - padding; i++) {
    int value = base64_value(text[i]);
    if (value < 0) return -1;
    bits = (bits << 6 | (uint32_t)value) & 0xffff;
    bit_count += 6;
    if (bit_count < 8) continue;
    if (decoded == size) return -1;
    bit_count -= 8;
    bytes[decoded++] = (uint8_t)(bits >> bit_count);
  }
  return (int)decoded;
}

/* Reads a positive INTEGER at `at` into 32 bytes. Returns where it ends, or 0 if it is not in DER form. */
static size_t read_integer(const uint8_t *der, size_t length, size_t at, uint8_t digits[32]) {
  if (at + 2 > length || der[at] != 0x02) return 0;
  size_t count = der[at + 1];
  size_t start = at + 2;
  if (count == 0 || count > 33 || start + count > length) return 0;
  size_t end = start + count;
  /* DER allows a leading zero byte only before a byte that would make the number negative. */
  if (der[start] >= 0x80) return 0;
  if (der[start] == 0) {
    if (count < 2 || der[start + 1] < 0x80) return 0;
    start++;
  }
  if (end - start > 32) return 0;
  memset(digits, 0, 32);
  memcpy(digits + 32 - (end - start), der + start, end - start);
  return end;
}

bool dg_ecdsa_from_der(const uint8_t *der, size_t length, uint8_t raw[64]) {
  if (length < 8 || der[0] != 0x30 || der[1] != length - 2) return false;
  size_t middle = read_integer(der, length, 2, raw);
  return middle != 0 && read_integer(der, length, middle, raw + 32) == length;
}

/* SubjectPublicKeyInfo up to the key (RFC 5480, RFC 8410). The point of P-256 is uncompressed. */
static const uint8_t p256_head[] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
                                    0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04};
static const uint8_t ed25519_head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

dg_public_key dg_read_pem(const char *pem) {
  static const char begin[] = "-----BEGIN PUBLIC KEY-----";
  static const char end[] = "-----END PUBLIC KEY-----";
  dg_public_key key = {NULL, {0}};
  char text[160];
  uint8_t spki[100];
  size_t length = 0;
  const char *at = strstr(pem, begin);
  const char *last = strstr(pem, end);
  if (at == NULL || last == NULL) return key;
  for (at += sizeof begin - 1; at < last; at++) {
    if (*at == '\n' || *at == '\r') continue;
    if (length == sizeof text) return key;
    text[length++] = *at;
  }
  int decoded = dg_base64_decode(text, length, spki, sizeof spki);
  /* The last byte of the P-256 head belongs to the point. */
  if (decoded == (int)sizeof p256_head + 64 && memcmp(spki, p256_head, sizeof p256_head) == 0) {
    key.algorithm = "ecdsa-p256-sha256";
    memcpy(key.bytes, spki + sizeof p256_head - 1, 65);
  } else if (decoded == (int)sizeof ed25519_head + 32 && memcmp(spki, ed25519_head, sizeof ed25519_head) == 0) {
    key.algorithm = "ed25519";
    memcpy(key.bytes, spki + sizeof ed25519_head, 32);
  }
  return key;
}
