#include "dg_json.h"

dg_text dg_text_in(char *bytes, size_t size) {
  dg_text text = {bytes, size, 0, false};
  bytes[0] = 0;
  return text;
}

static void add_char(dg_text *text, char byte) {
  if (text->length + 1 >= text->size) {
    text->overflow = true;
    return;
  }
  text->bytes[text->length++] = byte;
  text->bytes[text->length] = 0;
}

void dg_text_add(dg_text *text, const char *more) {
  for (; *more != 0; more++) add_char(text, *more);
}

void dg_text_add_number(dg_text *text, int64_t number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  uint64_t rest = number < 0 ? ~(uint64_t)number + 1 : (uint64_t)number;
  digits[at] = 0;
  do digits[--at] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0) digits[--at] = '-';
  dg_text_add(text, digits + at);
}

/* Writes the comma and the name of a member. */
static void start_value(dg_text *json, const char *name) {
  char last = json->length == 0 ? '{' : json->bytes[json->length - 1];
  if (last != '{' && last != '[') add_char(json, ',');
  if (name == NULL) return;
  add_char(json, '"');
  dg_text_add(json, name);
  dg_text_add(json, "\":");
}

void dg_json_open(dg_text *json, const char *name, char bracket) {
  start_value(json, name);
  add_char(json, bracket);
}

void dg_json_close(dg_text *json, char bracket) { add_char(json, bracket); }

void dg_json_raw(dg_text *json, const char *name, const char *value) {
  start_value(json, name);
  dg_text_add(json, value);
}

void dg_json_bool(dg_text *json, const char *name, bool value) { dg_json_raw(json, name, value ? "true" : "false"); }

void dg_json_integer(dg_text *json, const char *name, int64_t value) {
  start_value(json, name);
  dg_text_add_number(json, value);
}

void dg_json_decimal(dg_text *json, const char *name, int64_t value, unsigned decimals) {
  uint64_t scale = 1;
  uint64_t size = value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value;
  start_value(json, name);
  for (unsigned i = 0; i < decimals; i++) scale *= 10;
  if (value < 0) add_char(json, '-');
  dg_text_add_number(json, (int64_t)(size / scale));
  if (decimals == 0) return;
  add_char(json, '.');
  for (scale /= 10; scale != 0; scale /= 10) add_char(json, (char)('0' + size / scale % 10));
}

void dg_json_text(dg_text *json, const char *name, const char *value) {
  static const char hex[] = "0123456789abcdef";
  start_value(json, name);
  add_char(json, '"');
  for (; *value != 0; value++) {
    unsigned char byte = (unsigned char)*value;
    if (byte == '"' || byte == '\\') add_char(json, '\\');
    if (byte >= 0x20) {
      add_char(json, *value);
      continue;
    }
    dg_text_add(json, "\\u00");
    add_char(json, hex[byte >> 4]);
    add_char(json, hex[byte & 15]);
  }
  add_char(json, '"');
}
