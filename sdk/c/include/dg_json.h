/* A JSON writer into a buffer, and a strict reader that takes a text in pieces and keeps only the wanted values. */
#ifndef DG_JSON_H
#define DG_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text in a buffer of fixed size. `overflow` is set once something did not fit. The text always ends with 0. */
typedef struct dg_text {
  char *bytes;
  size_t size;
  size_t length;
  bool overflow;
} dg_text;

dg_text dg_text_in(char *bytes, size_t size);
void dg_text_add(dg_text *text, const char *more);
void dg_text_add_number(dg_text *text, int64_t number);

/* Writes members of objects and elements of arrays. Pass NULL as `name` within an array. */
void dg_json_open(dg_text *json, const char *name, char bracket);
void dg_json_close(dg_text *json, char bracket);
void dg_json_text(dg_text *json, const char *name, const char *value);
void dg_json_integer(dg_text *json, const char *name, int64_t value);
/* Writes `value` divided by 10 to the power of `decimals` (0 to 18): 215 with 1 decimal is 21.5. */
void dg_json_decimal(dg_text *json, const char *name, int64_t value, unsigned decimals);
void dg_json_bool(dg_text *json, const char *name, bool value);
/* Writes a value that is JSON already. */
void dg_json_raw(dg_text *json, const char *name, const char *value);

typedef enum dg_json_type {
  DG_JSON_TEXT,      /* char[size]. A text that is too long or contains U+0000 becomes "". */
  DG_JSON_TEXT_CUT,  /* char[size]. A text that is too long is cut. */
  DG_JSON_INTEGER,   /* int64_t. Another number becomes DG_NOT_AN_INTEGER. */
  DG_JSON_DECIMAL,   /* char[size]. The number as text, for strtod. "" if it is too long. */
  DG_JSON_BOOL,      /* bool */
  DG_JSON_COUNT      /* int64_t. The number of elements of an array. */
} dg_json_type;

#define DG_NOT_AN_INTEGER INT64_MIN

/* A wanted value. `path` is its names and indexes, joined by dots, such as `config.intervals.0`. */
typedef struct dg_json_field {
  const char *path;
  dg_json_type type;
  void *value;
  size_t size;
  bool required;
} dg_json_field;

/* Deepest nesting. A device's own configuration and the payload of a command have at most 32 levels (§8, §11). The
 * response around them has up to 3 more. */
#define DG_JSON_DEPTH 40
#define DG_JSON_PATH_BYTES 96
#define DG_JSON_MAX_FIELDS 64

/* The state of a reader. Only dg_json_reader.c uses its members. */
typedef struct dg_json_reader {
  const dg_json_field *fields;
  size_t count;
  uint64_t seen;
  const dg_json_field *field;
  size_t length;
  char path[DG_JSON_PATH_BYTES];
  uint8_t path_length;
  uint8_t level_start[DG_JSON_DEPTH + 1];
  uint32_t index[DG_JSON_DEPTH + 1];
  bool is_array[DG_JSON_DEPTH + 1];
  uint8_t depth;
  uint8_t state;
  uint8_t number_state;
  bool is_key;
  bool is_bad_path;
  bool is_bad_value;
  const char *literal;
  char number[24];
  uint8_t hex_digits;
  uint32_t unicode;
  uint32_t high_surrogate;
  uint8_t utf8_left;
  uint8_t utf8_low, utf8_high;
} dg_json_reader;

void dg_json_begin(dg_json_reader *reader, const dg_json_field *fields, size_t count);
/* Reads the next piece (RFC 8259). Returns false if the text is not JSON. */
bool dg_json_feed(dg_json_reader *reader, const void *bytes, size_t length);
/* Returns true if the text was one whole JSON value and had all required fields. */
bool dg_json_end(dg_json_reader *reader);
/* Returns whether a field was in the text with its type. */
bool dg_json_has(const dg_json_reader *reader, size_t field);

#endif
