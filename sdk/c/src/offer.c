/* Decides whether an offer may be installed. */
#include <string.h>

#include "update_internal.h"

/* Reads one number of a version, which `after` follows. Returns -1 if it is invalid. */
static int32_t read_part(const char **text, char after) {
  int32_t number = 0;
  int digits = 0;
  for (; **text >= '0' && **text <= '9'; (*text)++)
    if (++digits <= 9) number = number * 10 + (**text - '0');
  if (digits < 1 || digits > 9 || **text != after) return -1;
  if (after != 0) (*text)++;
  return number;
}

static bool read_version(const char *text, int32_t parts[3]) {
  for (int i = 0; i < 3; i++)
    if ((parts[i] = read_part(&text, i < 2 ? '.' : 0)) < 0) return false;
  return true;
}

bool dg_is_version(const char *text) {
  int32_t parts[3];
  return read_version(text, parts);
}

int dg_compare_versions(const char *a, const char *b) {
  int32_t left[3], right[3];
  if (!read_version(a, left) || !read_version(b, right)) return 0;
  for (int i = 0; i < 3; i++)
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}

/* Any characters except control characters: the signed lines are ambiguous if a field has a newline. */
static bool is_one_line(const char *text) {
  if (*text == 0) return false;
  for (; *text != 0; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7f) return false;
  return true;
}

static bool is_sha256(const char *text) {
  size_t length = strspn(text, "0123456789abcdef");
  return length == 64 && text[64] == 0;
}

/* Checks a text against a pattern of `0` for a digit and other characters for themselves. Returns what follows. */
static const char *match(const char *text, const char *pattern) {
  for (; *pattern != 0; pattern++, text++)
    if (*pattern == '0' ? *text < '0' || *text > '9' : *text != *pattern) return NULL;
  return text;
}

/* RFC 3339 with optional fractions of a second. */
static bool is_date_time(const char *text) {
  const char *rest = match(text, "0000-00-00T00:00:00");
  if (rest == NULL) return false;
  if (*rest == '.') {
    size_t digits = strspn(rest + 1, "0123456789");
    if (digits < 1 || digits > 9) return false;
    rest += 1 + digits;
  }
  if (strcmp(rest, "Z") == 0) return true;
  if (*rest != '+' && *rest != '-') return false;
  rest = match(rest + 1, "00:00");
  return rest != NULL && *rest == 0;
}

/* Checks the fields. This comes before the signature. */
static const char *judge_offer(const dg_offer *offer, const dg_facts *facts) {
  bool is_well_formed = dg_is_version(offer->version) && is_one_line(offer->target_hardware) &&
                        is_date_time(offer->released_at) && is_sha256(offer->sha256) && offer->size > 0 &&
                        offer->download_url[0] != 0;
  if (!is_well_formed) return "malformed_offer";
  if (strcmp(offer->target_hardware, facts->target_hardware) != 0) return "wrong_target";
  if (dg_compare_versions(offer->version, facts->running) <= 0) return "not_newer";
  if (dg_compare_versions(offer->version, facts->floor) < 0) return "rollback";
  return offer->size > facts->capacity ? "too_large" : NULL;
}

static bool verify(const dg_offer *offer, const dg_public_key *key, const dg_crypto_port *crypto) {
  char lines[DG_VERSION_BYTES + DG_TARGET_BYTES + sizeof offer->released_at + DG_SHA256_HEX_BYTES];
  dg_text text = dg_text_in(lines, sizeof lines);
  uint8_t bytes[96], raw[64], digest[32];
  int length = dg_base64_decode(offer->signature, strlen(offer->signature), bytes, sizeof bytes);
  dg_text_add(&text, offer->version);
  dg_text_add(&text, "\n");
  dg_text_add(&text, offer->target_hardware);
  dg_text_add(&text, "\n");
  dg_text_add(&text, offer->released_at);
  dg_text_add(&text, "\n");
  dg_text_add(&text, offer->sha256);
  if (length < 0 || text.overflow) return false;
  if (strcmp(key->algorithm, "ed25519") == 0)
    return length == 64 && crypto->verify_ed25519 != NULL &&
           crypto->verify_ed25519(crypto->context, key->bytes, lines, text.length, bytes);
  return dg_ecdsa_from_der(bytes, (size_t)length, raw) && crypto->sha256_begin(crypto->context) &&
         crypto->sha256_update(crypto->context, lines, text.length) &&
         crypto->sha256_end(crypto->context, digest) &&
         crypto->verify_p256(crypto->context, key->bytes, digest, raw);
}

const char *dg_assess_offer(const dg_offer *offer, const dg_facts *facts) {
  const char *refusal = judge_offer(offer, facts);
  if (refusal != NULL) return refusal;
  for (size_t i = 0; i < facts->key_count; i++) {
    if (strcmp(facts->keys[i].id, offer->signing_key_id) != 0) continue;
    dg_public_key key = dg_read_pem(facts->keys[i].pem);
    if (key.algorithm == NULL || strcmp(key.algorithm, offer->signature_algorithm) != 0) return "wrong_algorithm";
    return verify(offer, &key, facts->crypto) ? NULL : "invalid_signature";
  }
  return "unknown_key";
}
