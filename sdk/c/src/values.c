#include <string.h>

#include "internal.h"

void dg_copy(char *to, size_t size, const char *from) {
  dg_text text = dg_text_in(to, size);
  dg_text_add(&text, from);
  /* Cuts before a character of several bytes, not within it. */
  if (!text.overflow) return;
  while (text.length > 0 && ((unsigned char)to[text.length - 1] & 0xc0) == 0x80) text.length--;
  if (text.length > 0 && (unsigned char)to[text.length - 1] >= 0xc0) text.length--;
  to[text.length] = 0;
}

bool dg_starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* CRC-32 of IEEE 802.3. */
uint32_t dg_crc32(const void *bytes, size_t length) {
  const uint8_t *byte = bytes;
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < length; i++) {
    crc ^= byte[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

int32_t dg_load(const dg_client *client, const char *key, void *bytes, size_t size) {
  const dg_storage_port *storage = client->options.ports.storage;
  int32_t length = storage->load(storage->context, key, bytes, size);
  uint32_t checksum;
  if (length < 0) return length;
  if (length < (int32_t)sizeof checksum) return DG_ABSENT;
  memcpy(&checksum, bytes, sizeof checksum);
  length -= (int32_t)sizeof checksum;
  return checksum == dg_crc32((uint8_t *)bytes + sizeof checksum, (size_t)length) ? length : DG_ABSENT;
}

bool dg_save(const dg_client *client, const char *key, void *bytes, size_t length) {
  const dg_storage_port *storage = client->options.ports.storage;
  uint32_t checksum = dg_crc32((uint8_t *)bytes + sizeof checksum, length);
  memcpy(bytes, &checksum, sizeof checksum);
  return storage->save(storage->context, key, bytes, length + sizeof checksum);
}
