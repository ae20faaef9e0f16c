/* Commands: fetched one at a time, stored before they run, reported until the server has the report (§11). */
#include "dg_commands.h"

#include <stddef.h>
#include <string.h>

#include "internal.h"

#define COMMAND_KEY "command"

/* Commands that are remembered: as many as can be open at once (§11). */
#define KNOWN_COMMANDS 21
#define KNOWN_BYTES (KNOWN_COMMANDS * sizeof(uint32_t))

/* The last command: its checksum, its state, its id and the report. The id and the report end with 0. */
typedef struct stored_command {
  uint32_t checksum;
  char state;
  char id[DG_COMMAND_BYTES];
  /* In the stored form, `known` follows the end of the report. Earlier versions did not store it. */
  char report[DG_COMMAND_REPORT_BYTES + KNOWN_BYTES];
  /* Hashes of the latest ids, the last command's at the end. 0: none. */
  uint32_t known[KNOWN_COMMANDS];
} stored_command;

enum { BEGUN = 'b', ANSWERED = 'a', REPORTED = 'r' };
#define HEAD_BYTES (1 + DG_COMMAND_BYTES)

static const char interrupted[] =
    "{\"status\":\"unknown\",\"message\":\"The device restarted while it ran the command.\"}";

/* The id is a part of URLs. */
static bool is_id(const char *id) {
  static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
  return id[0] != 0 && id[0] != '.' && id[strspn(id, characters)] == 0;
}

/* Remembers an id as the latest one. Returns whether it was known. In the improbable case that another id has the same
 * hash, its command does not run and is reported as "unknown". */
static bool remember(stored_command *last, const char *id) {
  uint32_t hash = dg_crc32(id, strlen(id));
  size_t at = 0;
  if (hash == 0) hash = 1;
  while (at < KNOWN_COMMANDS && last->known[at] != hash) at++;
  bool is_known = at < KNOWN_COMMANDS;
  if (!is_known) at = 0;
  memmove(last->known + at, last->known + at + 1, (KNOWN_COMMANDS - 1 - at) * sizeof *last->known);
  last->known[KNOWN_COMMANDS - 1] = hash;
  return is_known;
}

static dg_status load_command(dg_client *client, stored_command *last) {
  memset(last, 0, sizeof *last);
  int32_t length = dg_load(client, COMMAND_KEY, last, offsetof(stored_command, report) + sizeof last->report);
  if (length == DG_FAILED) return dg_fail(client, DG_STORAGE, "The last command could not be read.");
  const char *end = memchr(last->report, 0, sizeof last->report);
  if (length == DG_ABSENT || end == NULL || !is_id(last->id)) {
    memset(last, 0, sizeof *last);
    return DG_OK;
  }
  size_t head = HEAD_BYTES + (size_t)(end + 1 - last->report);
  if ((size_t)length == head + KNOWN_BYTES) memcpy(last->known, end + 1, KNOWN_BYTES);
  remember(last, last->id);
  return DG_OK;
}

static dg_status save_command(dg_client *client, stored_command *last, char state) {
  last->state = state;
  if (state != ANSWERED) last->report[0] = 0;
  size_t length = strlen(last->report) + 1;
  memcpy(last->report + length, last->known, KNOWN_BYTES);
  if (dg_save(client, COMMAND_KEY, last, HEAD_BYTES + length + KNOWN_BYTES)) return DG_OK;
  return dg_fail(client, DG_STORAGE, "The command could not be stored.");
}

static dg_status send_report(dg_client *client, const char *id, const char *report) {
  const char *parameter = strchr(DG_REPORT_COMMAND_PATH, ':');
  char path[sizeof DG_REPORT_COMMAND_PATH + DG_COMMAND_BYTES] = "";
  dg_text text = dg_text_in(path, sizeof path);
  dg_copy(path, (size_t)(parameter - DG_REPORT_COMMAND_PATH) + 1, DG_REPORT_COMMAND_PATH);
  text.length = strlen(path);
  dg_text_add(&text, id);
  dg_text_add(&text, strchr(parameter, '/'));
  const dg_call call = {
      .method = DG_REPORT_COMMAND_METHOD, .path = path, .text = report, .is_repeatable = true};
  return dg_send_report(client, &call);
}

/* The server deleted the command, or it was of an earlier registration. */
static bool is_gone(const dg_error *error) {
  return error->status == DG_REFUSED && error->problem == DG_PROBLEM_COMMAND_NOT_FOUND;
}

/* Returns whether the server, or a proxy before it, refuses a report, so that other requests may succeed. */
static bool is_refused(const dg_error *error) {
  int status = error->http_status;
  bool is_answered = error->status == DG_REFUSED || error->status == DG_UNEXPECTED_ANSWER;
  bool may_pass = status == 401 || status == 407 || status == 408 || status == 425 || status == 429;
  return is_answered && !error->sign_in_failed && status >= 400 && status < 500 && !may_pass;
}

/* Returns whether the server refuses the content of a report. A 404 or 405 of the server is about the address. */
static bool is_about_content(const dg_error *error) {
  return error->status == DG_REFUSED && error->http_status != 404 && error->http_status != 405;
}

/* Returns the report of a command without its result and its message. */
static const char *brief_report(const stored_command *last) {
  if (last->state == BEGUN) return "{\"status\":\"unknown\"}";
  return dg_starts_with(last->report, "{\"status\":\"done\"") ? "{\"status\":\"done\"}" : "{\"status\":\"failed\"}";
}

/* Reports the last command unless the server has its report. A proxy may refuse every request for a moment, so its
 * refusal counts only if `is_repeated`: this report was refused before, and the server has answered another request
 * since. */
static dg_status report_last(dg_client *client, stored_command *last, bool is_repeated) {
  const dg_error *error = &client->error;
  if (last->state != BEGUN && last->state != ANSWERED) return DG_OK;
  dg_status status = send_report(client, last->id, last->state == BEGUN ? interrupted : last->report);
  /* The result is not JSON, the message is not UTF-8, one of them is too long, or a proxy takes it for an attack. The
   * command itself is done. */
  bool counts = is_about_content(error) || (is_repeated && status == DG_UNEXPECTED_ANSWER);
  if (status != DG_OK && counts && is_refused(error))
    status = send_report(client, last->id, brief_report(last));
  return status == DG_OK || is_gone(error) ? save_command(client, last, REPORTED) : status;
}

/* Requests the command after the last one. The last `own_count` fields are the caller's. */
static dg_status fetch_command(dg_client *client, const stored_command *last, uint32_t wait_seconds,
                               const dg_json_field *fields, size_t field_count, size_t own_count) {
  char query[sizeof "?limit=1&wait=45&after=" + DG_COMMAND_BYTES];
  dg_text text = dg_text_in(query, sizeof query);
  dg_text_add(&text, "?limit=1&wait=");
  dg_text_add_number(&text, wait_seconds > 45 ? 45 : wait_seconds);
  if (last->id[0] != 0) dg_text_add(&text, "&after=");
  dg_text_add(&text, last->id);
  const dg_call call = {.method = DG_FETCH_COMMANDS_METHOD,
                        .path = DG_FETCH_COMMANDS_PATH,
                        .query = query,
                        .fields = fields,
                        .field_count = field_count,
                        .own_count = own_count,
                        .wait_seconds = wait_seconds,
                        .is_repeatable = true};
  return dg_send(client, &call);
}

dg_status dg_commands_next(dg_client *client, uint32_t wait_seconds, dg_command *command,
                           const dg_json_field *payload, size_t payload_count) {
  stored_command last;
  dg_command next = {.name = ""};
  int64_t count = 0;
  dg_json_field fields[DG_JSON_MAX_FIELDS] = {
      {"commands", DG_JSON_COUNT, &count, 0, true},
      {"commands.0.commandId", DG_JSON_TEXT, next.id, sizeof next.id, false},
      {"commands.0.name", DG_JSON_TEXT, next.name, sizeof next.name, false},
      {"commands.0.expiresInSeconds", DG_JSON_INTEGER, &next.expires_in_seconds, 0, false},
  };
  memset(command, 0, sizeof *command);
  if (4 + payload_count > DG_JSON_MAX_FIELDS) return dg_fail(client, DG_INVALID, "Too many fields.");
  for (size_t i = 0; i < payload_count; i++) fields[4 + i] = payload[i];
  dg_status status = load_command(client, &last);
  if (status != DG_OK) return status;
  status = report_last(client, &last, false);
  if (status != DG_OK && is_refused(&client->error) && !is_about_content(&client->error)) {
    /* Reads only the number of commands. The next response has the command again (§11), and its time begins then. */
    status = fetch_command(client, &last, 0, fields, 1, 0);
    if (status != DG_OK) return status;
    status = report_last(client, &last, true);
  }
  /* A report that is refused holds up no other command. It stays stored until the next command takes its place. */
  if (status != DG_OK && !is_refused(&client->error)) return status;
  status = fetch_command(client, &last, wait_seconds, fields, 4 + payload_count, payload_count);
  if (status != DG_OK || count == 0) return status;
  if (!is_id(next.id) || next.name[0] == 0) return dg_fail_unexpected(client);
  bool is_known = remember(&last, next.id);
  dg_copy(last.id, sizeof last.id, next.id);
  status = save_command(client, &last, BEGUN);
  /* A server whose database was restored returns commands that were run before. The next call reports this one. */
  if (status == DG_OK && !is_known) *command = next;
  return status;
}

dg_status dg_commands_finish(dg_client *client, bool is_done, const char *result, const char *message) {
  stored_command last;
  dg_status status = load_command(client, &last);
  if (status != DG_OK) return status;
  if (last.state != BEGUN) return dg_fail(client, DG_INVALID, "No command was begun.");
  dg_text json = dg_text_in(last.report, DG_COMMAND_REPORT_BYTES);
  dg_json_open(&json, NULL, '{');
  dg_json_text(&json, "status", is_done ? "done" : "failed");
  if (result != NULL) dg_json_raw(&json, "result", result);
  if (message != NULL) dg_json_text(&json, "message", message);
  dg_json_close(&json, '}');
  if (json.overflow) return dg_fail(client, DG_TOO_LARGE, "The result is too long. Raise DG_COMMAND_REPORT_BYTES.");
  status = save_command(client, &last, ANSWERED);
  return status == DG_OK ? report_last(client, &last, false) : status;
}
