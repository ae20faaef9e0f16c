/* What the files of the JSON reader share. */
#ifndef DG_JSON_INTERNAL_H
#define DG_JSON_INTERNAL_H

#include "dg_json.h"

enum dg_json_state { VALUE, FIRST_ELEMENT, FIRST_KEY, KEY, COLON, AFTER, STRING, ESCAPE, HEX, NUMBER, LITERAL, DONE, BAD };

/* Return values of a step: `dg_json_enter` and `dg_json_end_value` go on with true, `dg_json_fail` ends with false. */
bool dg_json_fail(dg_json_reader *reader);
bool dg_json_enter(dg_json_reader *reader, enum dg_json_state state);
bool dg_json_end_value(dg_json_reader *reader);

/* The path of the current value. */
void dg_json_start_part(dg_json_reader *reader);
void dg_json_add_to_path(dg_json_reader *reader, char byte);
/* Returns the field of one of two types at the current path, or NULL. */
const dg_json_field *dg_json_find(const dg_json_reader *reader, dg_json_type type, dg_json_type or_type);
void dg_json_mark_seen(dg_json_reader *reader, const dg_json_field *field);

/* Strings: names and values. */
bool dg_json_start_string(dg_json_reader *reader, bool is_key);
bool dg_json_take_in_string(dg_json_reader *reader, unsigned char byte);
bool dg_json_take_escape(dg_json_reader *reader, char byte);
bool dg_json_take_hex(dg_json_reader *reader, char byte);

#endif
