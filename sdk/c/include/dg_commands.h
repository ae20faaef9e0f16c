/*
 * Commands that the owner or an operator sends to the device (§11). Each runs at most once, also across restarts: its
 * id is stored before the device gets it from dg_commands_next.
 *
 *   int64_t times = 1;
 *   const dg_json_field payload[] = {{DG_COMMAND_PAYLOAD "times", DG_JSON_INTEGER, &times, 0, false}};
 *   dg_command command;
 *   while (dg_commands_next(&client, 25, &command, payload, 1) == DG_OK && command.name[0] != 0) {
 *     bool is_done = strcmp(command.name, "blink") == 0 && blink(times);
 *     dg_commands_finish(&client, is_done, NULL, NULL);
 *     times = 1;
 *   }
 */
#ifndef DG_COMMANDS_H
#define DG_COMMANDS_H

#include "dg_client.h"

/* Longest body of a report: the result as JSON, the message and about 50 bytes. */
#ifndef DG_COMMAND_REPORT_BYTES
#define DG_COMMAND_REPORT_BYTES 512
#endif

#define DG_COMMAND_BYTES 65
/* The owner's "update now": check for firmware with dg_update_run, then finish the command. If the outcome is
 * DG_RESTARTING, restart after dg_commands_finish: a command that a restart interrupts is reported as "unknown". */
#define DG_UPDATE_NOW "update-now"
/* The beginning of the paths of payload fields. */
#define DG_COMMAND_PAYLOAD "commands.0.payload."

typedef struct dg_command {
  /* "" if there is no command. */
  char name[DG_COMMAND_BYTES];
  char id[DG_COMMAND_BYTES];
  /* The device must not begin the command later than this after the call. */
  int64_t expires_in_seconds;
} dg_command;

/*
 * Reports what an earlier call or run of the program left unreported, then returns the next command with the values of
 * its payload. A command that was begun before a restart is reported as "unknown" and not returned. If the
 * server sends one of the last 21 commands again, for example because its database was restored, that one is reported as
 * "unknown" too and not returned. A report that the server refuses is sent again without result and message; one that a
 * proxy refuses, only if the proxy refuses it again after the server has answered a request. If that is refused too, the
 * call goes on, and the report stays stored until the next command takes its place. A report for which the server has
 * no route (404 `not_found`: a wrong address) is always sent whole, also after the server has answered a request.
 *
 * Waits up to `wait_seconds` (0 to 45) for a command; the HTTP port must wait that long too. If it returns none early,
 * wait five seconds before the next call. Values that the payload lacks do not change, so set them before each call, and
 * ignore them after an error. A command with payload fields that are required and missing is DG_UNEXPECTED_ANSWER until
 * it expires, so declare them as not required.
 */
dg_status dg_commands_next(dg_client *client, uint32_t wait_seconds, dg_command *command,
                           const dg_json_field *payload, size_t payload_count);

/*
 * Stores and reports the outcome of the last command. `result` is any JSON value, `message` a text; both may be NULL.
 * After DG_OK, DG_NETWORK, DG_UNEXPECTED_ANSWER or DG_REFUSED the report is durable on this device, and the next
 * dg_commands_next sends it if necessary: the device may restart now. DG_TOO_LARGE, DG_STORAGE, DG_INVALID.
 */
dg_status dg_commands_finish(dg_client *client, bool is_done, const char *result, const char *message);

#endif
