#include <string.h>

#include "json_internal.h"

/* What a number has had so far. It may end in the states from ZERO on. */
enum number_state { MINUS, POINT, EXPONENT, EXPONENT_SIGN, ZERO, DIGITS, FRACTION, EXPONENT_DIGITS };

void dg_json_begin(dg_json_reader *reader, const dg_json_field *fields, size_t count) {
  memset(reader, 0, sizeof *reader);
  reader->fields = fields;
  reader->count = count < DG_JSON_MAX_FIELDS ? count : DG_JSON_MAX_FIELDS;
  reader->state = VALUE;
}

bool dg_json_fail(dg_json_reader *reader) {
  reader->state = BAD;
  return false;
}

bool dg_json_enter(dg_json_reader *reader, enum dg_json_state state) {
  reader->state = (uint8_t)state;
  return true;
}

/* Appends a byte of the path. A path that is too long, or a name with a dot, matches no field. */
void dg_json_add_to_path(dg_json_reader *reader, char byte) {
  if (reader->path_length + 1 >= DG_JSON_PATH_BYTES) {
    reader->is_bad_path = true;
  } else {
    reader->path[reader->path_length++] = byte;
    reader->path[reader->path_length] = 0;
  }
}

/* Starts the last part of the path again. */
void dg_json_start_part(dg_json_reader *reader) {
  reader->path_length = reader->level_start[reader->depth];
  reader->path[reader->path_length] = 0;
  reader->is_bad_path = false;
  if (reader->path_length > 0) dg_json_add_to_path(reader, '.');
}

static void add_index(dg_json_reader *reader) {
  char digits[12];
  dg_text text = dg_text_in(digits, sizeof digits);
  dg_text_add_number(&text, reader->index[reader->depth]);
  dg_json_start_part(reader);
  for (size_t i = 0; i < text.length; i++) dg_json_add_to_path(reader, digits[i]);
}

const dg_json_field *dg_json_find(const dg_json_reader *reader, dg_json_type type, dg_json_type or_type) {
  if (reader->is_bad_path) return NULL;
  for (size_t i = 0; i < reader->count; i++) {
    const dg_json_field *field = &reader->fields[i];
    if ((field->type == type || field->type == or_type) && strcmp(field->path, reader->path) == 0) return field;
  }
  return NULL;
}

void dg_json_mark_seen(dg_json_reader *reader, const dg_json_field *field) {
  reader->seen |= UINT64_C(1) << (field - reader->fields);
}

static bool open_container(dg_json_reader *reader, bool is_array) {
  const dg_json_field *field = is_array ? dg_json_find(reader, DG_JSON_COUNT, DG_JSON_COUNT) : NULL;
  if (reader->depth == DG_JSON_DEPTH) return dg_json_fail(reader);
  if (field != NULL) *(int64_t *)field->value = 0;
  if (field != NULL) dg_json_mark_seen(reader, field);
  reader->depth++;
  /* Below a path that matches nothing, no path matches. */
  reader->level_start[reader->depth] = reader->is_bad_path ? DG_JSON_PATH_BYTES - 1 : reader->path_length;
  reader->is_array[reader->depth] = is_array;
  reader->index[reader->depth] = 0;
  return dg_json_enter(reader, is_array ? FIRST_ELEMENT : FIRST_KEY);
}

bool dg_json_end_value(dg_json_reader *reader) { return dg_json_enter(reader, reader->depth == 0 ? DONE : AFTER); }

/* Sets the element count of the array that just ended. */
static bool close_container(dg_json_reader *reader, bool is_array, bool is_empty) {
  if (reader->is_array[reader->depth] != is_array) return dg_json_fail(reader);
  reader->path_length = reader->level_start[reader->depth];
  reader->path[reader->path_length] = 0;
  reader->is_bad_path = reader->path_length == DG_JSON_PATH_BYTES - 1;
  if (is_array) {
    const dg_json_field *field = dg_json_find(reader, DG_JSON_COUNT, DG_JSON_COUNT);
    if (field != NULL) *(int64_t *)field->value = is_empty ? 0 : (int64_t)reader->index[reader->depth] + 1;
  }
  reader->depth--;
  return dg_json_end_value(reader);
}

/* Stores the number that ended. */
static void end_number(dg_json_reader *reader) {
  const dg_json_field *field = reader->field;
  bool is_short = reader->length < sizeof reader->number;
  dg_json_end_value(reader);
  if (field == NULL) return;
  dg_json_mark_seen(reader, field);
  if (is_short) reader->number[reader->length] = 0;
  if (field->type == DG_JSON_DECIMAL) {
    bool fits = is_short && reader->length < field->size;
    memcpy(field->value, fits ? reader->number : "", fits ? reader->length + 1 : 1);
    return;
  }
  int64_t value = 0;
  bool is_negative = reader->number[0] == '-';
  /* 18 digits fit into 64 bits. */
  if ((reader->number_state != ZERO && reader->number_state != DIGITS) || reader->length > 18) {
    value = DG_NOT_AN_INTEGER;
  } else {
    for (size_t i = is_negative ? 1 : 0; i < reader->length; i++) value = value * 10 + (reader->number[i] - '0');
    if (is_negative) value = -value;
  }
  *(int64_t *)field->value = value;
}

/* Returns the next state of a number, or -1 if the byte does not belong to it. */
static int next_number_state(uint8_t state, char byte) {
  bool is_digit = byte >= '0' && byte <= '9';
  bool is_exponent = byte == 'e' || byte == 'E';
  switch (state) {
    case MINUS: return byte == '0' ? ZERO : is_digit ? DIGITS : -1;
    case ZERO: return byte == '.' ? POINT : is_exponent ? EXPONENT : -1;
    case DIGITS: return is_digit ? DIGITS : byte == '.' ? POINT : is_exponent ? EXPONENT : -1;
    case POINT: return is_digit ? FRACTION : -1;
    case FRACTION: return is_digit ? FRACTION : is_exponent ? EXPONENT : -1;
    case EXPONENT: return is_digit ? EXPONENT_DIGITS : byte == '+' || byte == '-' ? EXPONENT_SIGN : -1;
    default: return is_digit ? EXPONENT_DIGITS : -1;
  }
}

static bool take(dg_json_reader *reader, char byte);

static bool take_in_number(dg_json_reader *reader, char byte) {
  int next = next_number_state(reader->number_state, byte);
  if (next < 0) {
    if (reader->number_state < ZERO) return dg_json_fail(reader);
    end_number(reader);
    return take(reader, byte);
  }
  reader->number_state = (uint8_t)next;
  if (reader->length < sizeof reader->number) reader->number[reader->length++] = byte;
  return true;
}

static bool start_number(dg_json_reader *reader, char byte) {
  reader->state = NUMBER;
  reader->length = 0;
  reader->field = dg_json_find(reader, DG_JSON_INTEGER, DG_JSON_DECIMAL);
  reader->number_state = MINUS;
  if (byte != '-') return take_in_number(reader, byte);
  reader->number[reader->length++] = byte;
  return true;
}

static bool start_literal(dg_json_reader *reader, char byte) {
  const dg_json_field *field = byte == 'n' ? NULL : dg_json_find(reader, DG_JSON_BOOL, DG_JSON_BOOL);
  reader->literal = byte == 't' ? "rue" : byte == 'f' ? "alse" : "ull";
  if (field != NULL) *(bool *)field->value = byte == 't';
  if (field != NULL) dg_json_mark_seen(reader, field);
  return dg_json_enter(reader, LITERAL);
}

static bool start_value(dg_json_reader *reader, char byte) {
  if (reader->depth > 0 && reader->is_array[reader->depth]) add_index(reader);
  switch (byte) {
    case '{': return open_container(reader, false);
    case '[': return open_container(reader, true);
    case '"': return dg_json_start_string(reader, false);
    case 't':
    case 'f':
    case 'n': return start_literal(reader, byte);
    default: return byte == '-' || (byte >= '0' && byte <= '9') ? start_number(reader, byte) : dg_json_fail(reader);
  }
}

static bool take_after(dg_json_reader *reader, char byte) {
  bool is_array = reader->is_array[reader->depth];
  if (byte == ']' || byte == '}') return close_container(reader, byte == ']', false);
  if (byte != ',') return dg_json_fail(reader);
  if (is_array) reader->index[reader->depth]++;
  return dg_json_enter(reader, is_array ? VALUE : KEY);
}

static bool take(dg_json_reader *reader, char byte) {
  bool is_space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
  switch (reader->state) {
    case STRING: return dg_json_take_in_string(reader, (unsigned char)byte);
    case ESCAPE: return dg_json_take_escape(reader, byte);
    case HEX: return dg_json_take_hex(reader, byte);
    case NUMBER: return take_in_number(reader, byte);
    case LITERAL:
      if (*reader->literal++ != byte) return dg_json_fail(reader);
      if (*reader->literal == 0) dg_json_end_value(reader);
      return true;
    case BAD: return false;
    default: break;
  }
  if (is_space) return true;
  switch (reader->state) {
    case FIRST_ELEMENT: return byte == ']' ? close_container(reader, true, true) : start_value(reader, byte);
    case VALUE: return start_value(reader, byte);
    case FIRST_KEY:
      if (byte == '}') return close_container(reader, false, true);
      return byte == '"' ? dg_json_start_string(reader, true) : dg_json_fail(reader);
    case KEY: return byte == '"' ? dg_json_start_string(reader, true) : dg_json_fail(reader);
    case COLON: return byte == ':' ? dg_json_enter(reader, VALUE) : dg_json_fail(reader);
    case AFTER: return take_after(reader, byte);
    default: return dg_json_fail(reader);
  }
}

bool dg_json_feed(dg_json_reader *reader, const void *bytes, size_t length) {
  const char *text = bytes;
  for (size_t i = 0; i < length; i++)
    if (!take(reader, text[i])) return false;
  return true;
}

bool dg_json_has(const dg_json_reader *reader, size_t field) { return (reader->seen >> field & 1) != 0; }

bool dg_json_end(dg_json_reader *reader) {
  if (reader->state == NUMBER && reader->depth == 0 && reader->number_state >= ZERO) end_number(reader);
  if (reader->state != DONE) return false;
  for (size_t i = 0; i < reader->count; i++)
    if (reader->fields[i].required && !dg_json_has(reader, i)) return false;
  return true;
}
