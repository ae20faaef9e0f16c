/* Tests of sign-in, telemetry, configuration and commands against a scripted server. */
#include "dg_commands.h"
#include "fakes.h"

#define SENT(accepted)                                                                                               \
  "{\"accepted\":" accepted ",\"duplicates\":0,\"rejected\":[],\"updateAvailable\":false,"                           \
  "\"serverTime\":\"2026-02-01T00:00:00.000Z\",\"configVersion\":\"v1\"}"
#define PROBLEM(code) "{\"code\":\"" code "\",\"detail\":\"No.\",\"requestId\":\"r1\"}"
/* An error of a proxy. */
#define FOREIGN_PROBLEM "{\"code\":\"request_too_large\",\"detail\":\"Send less.\"}"

static dg_flush_report report;

static dg_status store_record(void) {
  dg_text record;
  dg_record_begin(&client, &record, 0);
  dg_json_integer(&record, "voltage", 26);
  return dg_record_end(&client, &record);
}

static void test_interrupted_records(void) {
  dg_text record;
  start();
  client.bearer[0] = 0;
  plan((fake_answer){.status = 201, .body = "{\"token\":\"t\",\"deviceSecret\":\"secret\"}"});
  dg_record_begin(&client, &record, 0);
  check(dg_connect(&client) == DG_OK, "signs in");
  check(dg_record_end(&client, &record) == DG_INVALID, "a record is not stored after a sign-in within it");
  check(dg_waiting(&client) == 0 && find_value("r1") == NULL, "nothing of the sign-in is in the buffer");
  check(store_record() == DG_OK, "the next record is stored");
  plan((fake_answer){.status = 202, .body = SENT("1")});
  dg_record_begin(&client, &record, 0);
  check(dg_flush(&client, &report) == DG_OK, "flushes");
  check(dg_record_end(&client, &record) == DG_INVALID, "a record is not stored after a flush within it");
}

static void test_unreadable_buffer(void) {
  start();
  for (int i = 0; i < 3; i++) check(store_record() == DG_OK, "stores a record");
  fake.fails_loads = true;
  memset(&client, 0, sizeof client);
  check(dg_client_open(&client, &options) == DG_STORAGE, "the buffer cannot be read");
  check(store_record() == DG_STORAGE, "no record is stored in a buffer that was not read");
  check(dg_flush(&client, &report) == DG_STORAGE && dg_waiting(&client) == 0, "nothing is sent from it");
  fake.fails_loads = false;
  check(store_record() == DG_OK && dg_waiting(&client) == 4, "a later record follows the former ones");
  fake.fails_loads = true;
  dg_client_open(&client, &options);
  dg_copy(client.bearer, sizeof client.bearer, "Bearer t");
  fake.fails_loads = false;
  plan((fake_answer){.status = 202, .body = SENT("4")});
  check(dg_flush(&client, &report) == DG_OK && report.accepted == 4, "a later flush sends all records");
}

static void test_wrong_clock(void) {
  start();
  fake.now = INT64_C(-86400001);
  check(dg_now(&client) == 0, "a negative time is no time");
}

static void test_wrong_numbers(void) {
  static const char *const intervals[] = {"9", "3601", "60.5", "6e1", "-60", "1234567890123456789"};
  static const char *const counts[] = {"-1", "501", "1.0", "1234567890123456789"};
  char body[256];
  for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
    dg_config config = {.telemetry_interval_seconds = 60};
    start();
    snprintf(body, sizeof body, "{\"telemetryIntervalSeconds\":%s,\"otaEnabled\":true,\"configVersion\":\"v1\"}",
             intervals[i]);
    plan((fake_answer){.status = 200, .body = body});
    check(dg_read_config(&client, &config, NULL, 0) == DG_UNEXPECTED_ANSWER, intervals[i]);
    check(config.telemetry_interval_seconds == 60 && client.config_version[0] == 0, "the configuration stays");
    check(client.error.http_status == 200, "a response arrived");
  }
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    start();
    store_record();
    snprintf(body, sizeof body,
             "{\"accepted\":0,\"duplicates\":%s,\"rejected\":[],\"updateAvailable\":false,"
             "\"serverTime\":\"2026-02-01T00:00:00.000Z\",\"configVersion\":\"v1\"}",
             counts[i]);
    plan((fake_answer){.status = 202, .body = body});
    check(dg_flush(&client, &report) == DG_UNEXPECTED_ANSWER, counts[i]);
    check(dg_waiting(&client) == 1 && report.duplicates == 0, "the record stays");
  }
}

static dg_status fetch(const char *id) {
  static char body[512];
  static dg_command command;
  snprintf(body, sizeof body, "{\"commands\":[{\"commandId\":\"%s\",\"name\":\"blink\",\"expiresInSeconds\":9}]}", id);
  plan((fake_answer){.status = 200, .body = body});
  return dg_commands_next(&client, 0, &command, NULL, 0);
}

/* Stores a command like an earlier version of the client, which accepted every id. */
static void begin_command(const char *id) {
  char stored[4 + 1 + DG_COMMAND_BYTES + 1] = "....b";
  strcpy(stored + 5, id);
  check(dg_save(&client, "command", stored, sizeof stored - 4), "stores a command");
}

static void test_command_ids(void) {
  static const char *const strange[] = {"", "a/b", "a b", "..", "a%2f", "a?b",
                                        "0123456789012345678901234567890123456789012345678901234567890123456789"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    start();
    check(fetch(strange[i]) == DG_UNEXPECTED_ANSWER && find_value("command") == NULL, strange[i]);
  }
  start();
  check(fetch("aZ0_-.:") == DG_OK && find_value("command") != NULL, "an id with all characters");
  start();
  begin_command("a b");
  check(fetch("c2") == DG_OK && strstr(fake.url, "after") == NULL, "a stored id that no request can have is forgotten");
  start();
  begin_command("c1");
  plan((fake_answer){.status = 404, .body = PROBLEM("not_found")});
  plan((fake_answer){.status = 200, .body = "{\"commands\":[]}"});
  plan((fake_answer){.status = 404, .body = PROBLEM("not_found")});
  check(fetch("c2") == DG_OK && strstr(fake.url, "after=c1") != NULL, "a server without the route holds up no command");
  check(fake.requests == 4, "and it does not get the report without its message");
}

/* A server that sends the same command to each request for commands, and accepts its report. */
static const char *offered_id;
static char reported[DG_COMMAND_REPORT_BYTES];
static fake_answer offer_command(const char *body) {
  static char answer[256];
  if (body[0] != 0) {
    dg_copy(reported, sizeof reported, body);
    return (fake_answer){.status = 202, .body = "{\"status\":\"accepted\"}"};
  }
  snprintf(answer, sizeof answer, "{\"commands\":[{\"commandId\":\"%s\",\"name\":\"blink\",\"expiresInSeconds\":9}]}",
           offered_id);
  return (fake_answer){.status = 200, .body = answer};
}

/* Polls a server that sends a command. Returns whether the device may run it. */
static bool begins(const char *id) {
  dg_command command;
  offered_id = id;
  fake.respond = offer_command;
  check(dg_commands_next(&client, 0, &command, NULL, 0) == DG_OK, id);
  return strcmp(command.id, id) == 0;
}

static bool runs(const char *id) {
  if (!begins(id)) return false;
  check(dg_commands_finish(&client, true, NULL, NULL) == DG_OK, id);
  return true;
}

/* A server whose database was restored, or a replica that took over, sends commands again. */
static void test_commands_sent_again(void) {
  char id[8], result[DG_COMMAND_REPORT_BYTES - 27];
  start();
  check(runs("a") && runs("b"), "two commands run");
  restart();
  check(!runs("a"), "the command before the last one does not run again");
  check(runs("c") && strstr(reported, "done") != NULL, "another command runs");
  check(!runs("c") && !runs("b") && strstr(reported, "unknown") != NULL, "the repeated commands are reported");
  start();
  for (int i = 0; i < 21; i++) {
    snprintf(id, sizeof id, "n%d", i);
    check(runs(id), "a new command runs");
  }
  restart();
  for (int i = 0; i < 21; i++) {
    snprintf(id, sizeof id, "n%d", i);
    check(!runs(id), "each of the last 21 commands is known");
  }
  start();
  begin_command("a");
  check(runs("b") && !runs("a"), "a command that an earlier version of the client stored is known");
  start();
  check(runs("a") && begins("b"), "begins another command");
  memset(result, 'x', sizeof result);
  result[0] = result[sizeof result - 2] = '"';
  result[sizeof result - 1] = 0;
  fake.respond = NULL;
  check(dg_commands_finish(&client, true, result, NULL) == DG_NETWORK, "the report is lost");
  restart();
  check(!runs("a") && strstr(reported, result) != NULL, "the longest report leaves room for the known commands");
}

static void test_time_limits(void) {
  dg_command command;
  start();
  plan((fake_answer){.status = 202, .body = SENT("0")});
  check(dg_check_in(&client, &report) == DG_OK && fake.total_seconds == 120, "a request ends after two minutes");
  plan((fake_answer){.status = 200, .body = "{\"commands\":[]}"});
  check(dg_commands_next(&client, 45, &command, NULL, 0) == DG_OK && fake.total_seconds == 165, "or after its wait");
}

/* A server that refuses requests with the record 20, or those with more than 12 records. */
static fake_answer refuse_20(const char *body) {
  if (strstr(body, "\"seq\":20,") == NULL) return (fake_answer){.status = 202, .body = SENT("0")};
  return (fake_answer){.status = 400, .body = PROBLEM("invalid_request")};
}
static fake_answer refuse_12(const char *body) {
  int count = 0;
  while ((body = strstr(body, "seq")) != NULL) body++, count++;
  if (count <= 12) return (fake_answer){.status = 202, .body = SENT("0")};
  return (fake_answer){.status = 413, .body = "<html>"};
}

static void test_batch_sizes(void) {
  start();
  for (int i = 0; i < 64; i++) store_record();
  fake.respond = refuse_20;
  check(dg_flush(&client, &report) == DG_OK && report.refused == 1, "drops the bad record");
  check(fake.requests < 24, "the records after a bad one share requests again");
  start();
  for (int i = 0; i < 64; i++) store_record();
  fake.respond = refuse_12;
  check(dg_flush(&client, &report) == DG_OK && fake.requests == 3 + 8, "a size that was too large is not tried again");
}

static void test_refusals_of_proxies(void) {
  start();
  store_record();
  plan((fake_answer){.status = 413, .body = "<html>"});
  check(dg_flush(&client, &report) == DG_UNEXPECTED_ANSWER && dg_waiting(&client) == 1, "a proxy's 413 drops nothing");
  plan((fake_answer){.status = 413, .body = FOREIGN_PROBLEM});
  check(dg_flush(&client, &report) == DG_UNEXPECTED_ANSWER && dg_waiting(&client) == 1, "nor does one in JSON");
  plan((fake_answer){.status = 400, .body = FOREIGN_PROBLEM});
  check(dg_flush(&client, &report) == DG_UNEXPECTED_ANSWER && dg_waiting(&client) == 1, "nor does a proxy's 400");
  plan((fake_answer){.status = 413, .body = PROBLEM("payload_too_large")});
  check(dg_flush(&client, &report) == DG_OK && report.refused == 1, "the API's 413 drops a record that is alone");
}

static void test_broken_errors(void) {
  start();
  plan((fake_answer){503, "Retry-After", "7", "{\"code\":\"un", true});
  check(dg_check_in(&client, &report) == DG_NETWORK, "a broken error is a fault of the network");
  check(client.error.http_status == 503 && client.error.retry_after_seconds == 7, "its status and delay are kept");
  plan((fake_answer){202, "Retry-After", "7", "{", true});
  check(dg_check_in(&client, &report) == DG_NETWORK && client.error.http_status == 0, "a broken success is no answer");
}

/* A proxy that replaced the body of the server's 401. */
static void test_replaced_401(void) {
  const fake_answer refusal = {.status = 401, .body = "<html>"};
  const fake_answer signed_in = {.status = 201, .body = "{\"token\":\"t2\",\"deviceSecret\":\"secret\"}"};
  start();
  plan(refusal);
  plan(signed_in);
  plan((fake_answer){.status = 202, .body = SENT("0")});
  check(dg_check_in(&client, &report) == DG_OK, "a 401 of a proxy renews the token");
  check(fake.requests == 3 && strcmp(client.bearer, "Bearer t2") == 0, "with one sign-in");
  start();
  plan(refusal);
  plan(signed_in);
  plan(refusal);
  check(dg_check_in(&client, &report) == DG_UNEXPECTED_ANSWER && fake.requests == 3, "once for each call");
  check(client.error.http_status == 401 && !client.error.sign_in_failed, "the second 401 is the result");
}

/* The longest response of the API, and one that is longer than any. */
static void test_long_responses(void) {
  static char body[140000];
  dg_text json = dg_text_in(body, sizeof body);
  start();
  dg_json_open(&json, NULL, '{');
  dg_json_integer(&json, "accepted", 0);
  dg_json_integer(&json, "duplicates", 0);
  dg_json_open(&json, "rejected", '[');
  for (int i = 0; i < DG_MAX_BATCH_RECORDS; i++) {
    dg_json_open(&json, NULL, '{');
    dg_json_integer(&json, "index", i);
    dg_json_text(&json, "code", "timestamp_out_of_range");
    dg_json_text(&json, "message",
                 "Send a timestamp from 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z, or none.");
    dg_json_close(&json, '}');
  }
  dg_json_close(&json, ']');
  dg_json_bool(&json, "updateAvailable", false);
  dg_json_text(&json, "serverTime", "2026-02-01T00:00:00.000Z");
  dg_json_text(&json, "configVersion", "v1");
  dg_json_close(&json, '}');
  check(!json.overflow && json.length > 65536, "a long response");
  plan((fake_answer){.status = 200, .body = body});
  check(dg_check_in(&client, &report) == DG_OK && report.rejected == DG_MAX_BATCH_RECORDS, "all rejections are read");
  memset(body, ' ', sizeof body - 1);
  plan((fake_answer){.status = 200, .body = body});
  check(dg_check_in(&client, &report) == DG_UNEXPECTED_ANSWER, "a response that is too long is not from the API");
}

int main(void) {
  test_wrong_clock();
  test_interrupted_records();
  test_unreadable_buffer();
  test_wrong_numbers();
  test_command_ids();
  test_commands_sent_again();
  test_time_limits();
  test_batch_sizes();
  test_refusals_of_proxies();
  test_broken_errors();
  test_replaced_401();
  test_long_responses();
  return finish_tests();
}
