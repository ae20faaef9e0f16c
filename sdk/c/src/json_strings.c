#include <string.h>

#include "json_internal.h"

bool dg_json_start_string(dg_json_reader *reader, bool is_key) {
  reader->is_key = is_key;
  reader->length = 0;
  reader->is_bad_value = false;
  reader->high_surrogate = 0;
  if (is_key) dg_json_start_part(reader);
  reader->field = is_key ? NULL : dg_json_find(reader, DG_JSON_TEXT, DG_JSON_TEXT_CUT);
  return dg_json_enter(reader, STRING);
}

static void add_byte(dg_json_reader *reader, char byte) {
  const dg_json_field *field = reader->field;
  if (reader->is_key) {
    dg_json_add_to_path(reader, byte);
    if (byte == '.' || byte == 0) reader->is_bad_path = true;
  } else if (field != NULL && !reader->is_bad_value) {
    if (byte == 0 || reader->length + 1 >= field->size) reader->is_bad_value = true;
    else ((char *)field->value)[reader->length++] = byte;
  }
}

static void add_code_point(dg_json_reader *reader, uint32_t code) {
  if (code < 0x80) {
    add_byte(reader, (char)code);
    return;
  }
  if (code < 0x800) {
    add_byte(reader, (char)(0xc0 | code >> 6));
  } else {
    if (code < 0x10000) {
      add_byte(reader, (char)(0xe0 | code >> 12));
    } else {
      add_byte(reader, (char)(0xf0 | code >> 18));
      add_byte(reader, (char)(0x80 | (code >> 12 & 0x3f)));
    }
    add_byte(reader, (char)(0x80 | (code >> 6 & 0x3f)));
  }
  add_byte(reader, (char)(0x80 | (code & 0x3f)));
}

/* A surrogate without its other half becomes U+FFFD. */
static void end_surrogate(dg_json_reader *reader) {
  if (reader->high_surrogate != 0) add_code_point(reader, 0xfffd);
  reader->high_surrogate = 0;
}

static void add_escaped(dg_json_reader *reader, uint32_t unit) {
  if (unit >= 0xdc00 && unit < 0xe000 && reader->high_surrogate != 0) {
    add_code_point(reader, 0x10000 + ((reader->high_surrogate - 0xd800) << 10) + (unit - 0xdc00));
    reader->high_surrogate = 0;
    return;
  }
  end_surrogate(reader);
  if (unit >= 0xd800 && unit < 0xdc00) reader->high_surrogate = unit;
  else add_code_point(reader, unit >= 0xdc00 && unit < 0xe000 ? 0xfffd : unit);
}

static bool end_string(dg_json_reader *reader) {
  const dg_json_field *field = reader->field;
  end_surrogate(reader);
  if (reader->is_key) return dg_json_enter(reader, COLON);
  if (field != NULL) {
    char *value = field->value;
    size_t length = reader->length;
    if (reader->is_bad_value && field->type == DG_JSON_TEXT) length = 0;
    /* Cuts before a character, not within it. */
    if (reader->is_bad_value)
      while (length > 0 && ((unsigned char)value[length - 1] & 0xc0) == 0x80) length--;
    if (reader->is_bad_value && length > 0 && (unsigned char)value[length - 1] >= 0xc0) length--;
    value[length] = 0;
    dg_json_mark_seen(reader, field);
  }
  return dg_json_end_value(reader);
}

/* Checks the bytes of a character (RFC 3629, section 4). */
static bool take_utf8(dg_json_reader *reader, unsigned char byte) {
  if (reader->utf8_left > 0) {
    if (byte < reader->utf8_low || byte > reader->utf8_high) return dg_json_fail(reader);
    reader->utf8_left--;
  } else if (byte >= 0xc2 && byte <= 0xf4) {
    reader->utf8_left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    reader->utf8_low = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
    reader->utf8_high = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
    end_surrogate(reader);
    add_byte(reader, (char)byte);
    return true;
  } else if (byte >= 0x80) {
    return dg_json_fail(reader);
  }
  reader->utf8_low = 0x80;
  reader->utf8_high = 0xbf;
  end_surrogate(reader);
  add_byte(reader, (char)byte);
  return true;
}

bool dg_json_take_in_string(dg_json_reader *reader, unsigned char byte) {
  if (reader->utf8_left == 0) {
    if (byte == '"') return end_string(reader);
    if (byte < 0x20) return dg_json_fail(reader);
    if (byte == '\\') return dg_json_enter(reader, ESCAPE);
  }
  return take_utf8(reader, byte);
}

bool dg_json_take_escape(dg_json_reader *reader, char byte) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  const char *name = byte == 0 ? NULL : strchr(names, byte);
  if (byte == 'u') {
    reader->hex_digits = 0;
    reader->unicode = 0;
    return dg_json_enter(reader, HEX);
  }
  if (name == NULL) return dg_json_fail(reader);
  end_surrogate(reader);
  add_byte(reader, values[name - names]);
  return dg_json_enter(reader, STRING);
}

bool dg_json_take_hex(dg_json_reader *reader, char byte) {
  uint32_t digit;
  if (byte >= '0' && byte <= '9') digit = (uint32_t)(byte - '0');
  else if (byte >= 'a' && byte <= 'f') digit = (uint32_t)(byte - 'a') + 10;
  else if (byte >= 'A' && byte <= 'F') digit = (uint32_t)(byte - 'A') + 10;
  else return dg_json_fail(reader);
  reader->unicode = reader->unicode << 4 | digit;
  if (++reader->hex_digits < 4) return true;
  add_escaped(reader, reader->unicode);
  return dg_json_enter(reader, STRING);
}
