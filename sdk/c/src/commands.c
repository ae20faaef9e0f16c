/* Commands: fetched one at a time, stored before they run, reported until the server has the report (§11). */
#include "dg_commands.h"

#include <string.h>

#include "internal.h"

#define COMMAND_KEY "command"

/* The last command: its checksum, its state, its id and the report. The id and the report end with 0. */
typedef struct stored_command {
  uint32_t checksum;
  char state;
  char id[DG_COMMAND_BYTES];
  char report[DG_COMMAND_REPORT_BYTES];
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

static dg_status load_command(dg_client *client, stored_command *last) {
  memset(last, 0, sizeof *last);
  int32_t length = dg_load(client, COMMAND_KEY, last, sizeof *last);
  if (length == DG_FAILED) return dg_fail(client, DG_STORAGE, "The last command could not be read.");
  if (length == DG_ABSENT || !is_id(last->id)) memset(last, 0, sizeof *last);
  return DG_OK;
}

static dg_status save_command(dg_client *client, stored_command *last, char state) {
  last->state = state;
  if (state != ANSWERED) last->report[0] = 0;
  if (dg_save(client, COMMAND_KEY, last, HEAD_BYTES + strlen(last->report) + 1)) return DG_OK;
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

/* Reports the last command unless the server has its report. */
static dg_status report_last(dg_client *client, stored_command *last) {
  if (last->state != BEGUN && last->state != ANSWERED) return DG_OK;
  dg_status status = send_report(client, last->id, last->state == BEGUN ? interrupted : last->report);
  dg_problem problem = client->error.problem;
  int http_status = client->error.http_status;
  bool is_refused = status == DG_REFUSED && !client->error.sign_in_failed;
  /* The result is not JSON, the message is not UTF-8, or one of them is too long. The command itself is done. */
  if (is_refused && (http_status == 400 || http_status == 413)) {
    bool is_done = dg_starts_with(last->report, "{\"status\":\"done\"");
    status = send_report(client, last->id, is_done ? "{\"status\":\"done\"}" : "{\"status\":\"failed\"}");
    problem = client->error.problem;
  }
  /* The server deleted the command, it was of an earlier registration, or the server has no commands any more. */
  bool is_gone = status == DG_REFUSED && (problem == DG_PROBLEM_COMMAND_NOT_FOUND || problem == DG_PROBLEM_NOT_FOUND);
  return status == DG_OK || is_gone ? save_command(client, last, REPORTED) : status;
}

dg_status dg_commands_next(dg_client *client, uint32_t wait_seconds, dg_command *command,
                           const dg_json_field *payload, size_t payload_count) {
  stored_command last;
  dg_command next = {.name = ""};
  int64_t count = 0;
  char query[sizeof "?limit=1&wait=45&after=" + DG_COMMAND_BYTES];
  dg_text text = dg_text_in(query, sizeof query);
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
  if (status == DG_OK) status = report_last(client, &last);
  if (status != DG_OK) return status;

  dg_text_add(&text, "?limit=1&wait=");
  dg_text_add_number(&text, wait_seconds > 45 ? 45 : wait_seconds);
  if (last.id[0] != 0) dg_text_add(&text, "&after=");
  dg_text_add(&text, last.id);
  const dg_call call = {.method = DG_FETCH_COMMANDS_METHOD,
                        .path = DG_FETCH_COMMANDS_PATH,
                        .query = query,
                        .fields = fields,
                        .field_count = 4 + payload_count,
                        .own_count = payload_count,
                        .wait_seconds = wait_seconds,
                        .is_repeatable = true};
  status = dg_send(client, &call);
  if (status != DG_OK || count == 0) return status;
  if (!is_id(next.id) || next.name[0] == 0) return dg_fail_unexpected(client);
  /* A server whose database was restored returns a command that was run before. Its report is repeated next time. */
  if (strcmp(next.id, last.id) == 0) return save_command(client, &last, BEGUN);
  dg_copy(last.id, sizeof last.id, next.id);
  status = save_command(client, &last, BEGUN);
  if (status == DG_OK) *command = next;
  return status;
}

dg_status dg_commands_finish(dg_client *client, bool is_done, const char *result, const char *message) {
  stored_command last;
  dg_status status = load_command(client, &last);
  if (status != DG_OK) return status;
  if (last.state != BEGUN) return dg_fail(client, DG_INVALID, "No command was begun.");
  dg_text json = dg_text_in(last.report, sizeof last.report);
  dg_json_open(&json, NULL, '{');
  dg_json_text(&json, "status", is_done ? "done" : "failed");
  if (result != NULL) dg_json_raw(&json, "result", result);
  if (message != NULL) dg_json_text(&json, "message", message);
  dg_json_close(&json, '}');
  if (json.overflow) return dg_fail(client, DG_TOO_LARGE, "The result is too long. Raise DG_COMMAND_REPORT_BYTES.");
  status = save_command(client, &last, ANSWERED);
  return status == DG_OK ? report_last(client, &last) : status;
}
