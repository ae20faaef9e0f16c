/*
 * A device that performs the commands of its command line and prints JSON lines, for tests against a gateway:
 *   device URL FOLDER DEVICE_ID KEY_ID KEY_PEM_FILE command...
 * With KILL_AT=n in its environment, it kills itself at its n-th operation of network, storage, flash or bootloader.
 * CA_FILE names the certificates that it trusts, CLAIM_CODE replaces its claim code.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dg_commands.h"
#include "dg_host.h"
#include "dg_update.h"

typedef struct device {
  const char *folder;
  dg_host_http host_http;
  dg_host_storage host_storage;
  dg_host_crypto host_crypto;
  dg_host_firmware host_firmware;
  dg_http_port http, real_http;
  dg_storage_port storage, real_storage;
  dg_clock_port clock, real_clock;
  dg_crypto_port crypto;
  dg_firmware_port firmware, real_firmware;
  dg_options options;
  dg_pinned_key key;
  dg_client client;
  dg_updater updater;
  int64_t slept_ms;
  long operations, kill_at;
  /* The time limit of the requests that have one, from now on. 0: that of the client. */
  uint32_t total_seconds;
  /* From which load on all fail, and which save fails, both counted from now on. 0: none. */
  int64_t failing_load, failing_save;
} device;

static void print(dg_text *line) {
  dg_json_close(line, '}');
  printf("%s\n", line->bytes);
  fflush(stdout);
}

/* Counts an operation. Returns whether the device dies in it: before it, after it, or in its middle. */
static bool is_last(device *it) { return ++it->operations == it->kill_at; }
static void die(void) { raise(SIGKILL); }

static bool exchange(void *context, const dg_http_request *request, const dg_http_sink *sink) {
  device *it = context;
  bool dies = is_last(it);
  if (dies && it->kill_at % 2 == 0) die();
  dg_http_request limited = *request;
  if (it->total_seconds > 0 && limited.total_seconds > 0) limited.total_seconds = it->total_seconds;
  bool is_whole = it->real_http.exchange(it->real_http.context, &limited, sink);
  if (dies) die();
  return is_whole;
}

static int32_t load(void *context, const char *key, void *bytes, size_t size) {
  device *it = context;
  if (it->failing_load == 1) return DG_FAILED;
  if (it->failing_load > 1) it->failing_load--;
  return it->real_storage.load(it->real_storage.context, key, bytes, size);
}

static bool save(void *context, const char *key, const void *bytes, size_t length) {
  device *it = context;
  char torn[64];
  if (it->failing_save > 0 && --it->failing_save == 0) return false;
  if (!is_last(it)) return it->real_storage.save(it->real_storage.context, key, bytes, length);
  snprintf(torn, sizeof torn, "%s.new", key);
  if (it->kill_at % 3 == 0) dg_host_replace_file(it->folder, torn, bytes, length / 2);
  if (it->kill_at % 3 == 1) it->real_storage.save(it->real_storage.context, key, bytes, length);
  die();
  return false;
}

static int64_t now_ms(void *context) {
  device *it = context;
  return it->real_clock.now_ms(it->real_clock.context) + it->slept_ms;
}

static void wait_ms(void *context, uint32_t ms) {
  (void)context;
  (void)ms;
}

static bool begin(void *context, uint32_t size) {
  device *it = context;
  if (is_last(it)) die();
  return it->real_firmware.begin(it->real_firmware.context, size);
}

/* Counts one operation for each 16 KB, because the size of the pieces depends on the network. */
static bool write_slot(void *context, uint32_t offset, const void *bytes, size_t length) {
  device *it = context;
  bool is_counted = (offset + length) / 16384 != offset / 16384;
  bool dies = is_counted && is_last(it);
  bool is_written = it->real_firmware.write(it->real_firmware.context, offset, bytes, dies ? length / 2 : length);
  if (dies) die();
  return is_written;
}

static bool install(void *context) {
  device *it = context;
  bool dies = is_last(it);
  if (dies && it->kill_at % 2 == 0) die();
  bool is_installed = it->real_firmware.install(it->real_firmware.context);
  if (dies) die();
  return is_installed;
}

static bool confirm(void *context) {
  device *it = context;
  bool dies = is_last(it);
  if (dies && it->kill_at % 2 == 0) die();
  bool is_confirmed = it->real_firmware.confirm(it->real_firmware.context);
  if (dies) die();
  return is_confirmed;
}

static bool read_slot(void *context, uint32_t offset, void *bytes, size_t length) {
  device *it = context;
  return it->real_firmware.read(it->real_firmware.context, offset, bytes, length);
}

static void reboot(void *context) { ((device *)context)->host_firmware.must_restart = true; }

static void roll_back(void *context) {
  device *it = context;
  if (is_last(it)) die();
  it->real_firmware.roll_back(it->real_firmware.context);
}

static const char *self_test(void *context) {
  device *it = context;
  return it->real_firmware.self_test(it->real_firmware.context);
}

static void on_event(void *context, dg_event event, int64_t number) {
  static const char *const names[] = {"registered", "logged_in", "retrying", "dropped_full", "dropped_refused"};
  char bytes[256];
  dg_text line = dg_text_in(bytes, sizeof bytes);
  (void)context;
  dg_json_open(&line, NULL, '{');
  dg_json_text(&line, "event", names[event]);
  dg_json_integer(&line, "number", number);
  print(&line);
}

/* Starts the device, as after a restart. */
static bool boot(device *it) {
  if (!dg_host_firmware_boot(&it->host_firmware, it->folder, "1.0.0", &it->real_firmware)) return false;
  it->firmware = (dg_firmware_port){it,      it->real_firmware.capacity, begin,   write_slot, read_slot,
                                    install, reboot,                     confirm, roll_back,  self_test};
  it->options.identity.firmware_version = it->host_firmware.running;
  const dg_update_options options = {.firmware = &it->firmware,
                                     .target_hardware = "esp32dev",
                                     .running = it->host_firmware.running,
                                     .keys = &it->key,
                                     .key_count = 1};
  return dg_client_open(&it->client, &it->options) == DG_OK &&
         dg_update_open(&it->updater, &it->client, &options) == DG_OK;
}

static void start_result(device *it, dg_text *line, const char *command, dg_status status) {
  static const char *const names[] = {"ok", "network", "unexpected_answer", "refused", "storage", "too_large", "invalid"};
  const dg_error *error = &it->client.error;
  dg_json_open(line, NULL, '{');
  dg_json_text(line, "command", command);
  dg_json_text(line, "status", names[status]);
  if (status == DG_OK) return;
  dg_json_text(line, "code", dg_problem_code(error->problem));
  dg_json_integer(line, "http", error->http_status);
  dg_json_text(line, "message", error->message);
}

static dg_status record(device *it, int64_t value, int64_t padding) {
  dg_text record;
  char text[DG_RECORD_BYTES] = "";
  dg_record_begin(&it->client, &record, 0);
  dg_json_decimal(&record, "voltage", 2650 + value, 2);
  dg_json_open(&record, "bms", '{');
  dg_json_bool(&record, "charging", value % 2 == 0);
  dg_json_close(&record, '}');
  if (padding > 0) memset(text, 'x', (size_t)padding);
  if (padding > 0) dg_json_text(&record, "padding", text);
  return dg_record_end(&it->client, &record);
}

static void run_update(device *it, dg_text *line) {
  static const char *const kinds[] = {"running", "up_to_date", "later",   "restarting",
                                      "held",    "failed",     "refused", "cancelled"};
  dg_outcome outcome;
  dg_status status;
  for (;;) {
    status = dg_update_run(&it->updater, &outcome);
    if (!it->host_firmware.must_restart || !boot(it)) break;
  }
  start_result(it, line, "update", status);
  dg_json_text(line, "outcome", kinds[outcome.kind]);
  dg_json_text(line, "reason", outcome.code);
  dg_json_text(line, "running", it->host_firmware.running);
  dg_json_text(line, "detail", outcome.message);
}

static void print_flush(device *it, dg_text *line, const char *command, dg_status status, const dg_flush_report *report) {
  start_result(it, line, command, status);
  dg_json_integer(line, "accepted", report->accepted);
  dg_json_integer(line, "duplicates", report->duplicates);
  dg_json_integer(line, "rejected", report->rejected);
  dg_json_text(line, "rejectedCode", report->rejected_code);
  dg_json_integer(line, "refused", report->refused);
  dg_json_integer(line, "serverTime", report->server_time_ms);
  dg_json_bool(line, "updateAvailable", report->update_available);
  dg_json_bool(line, "configChanged", report->config_changed);
  dg_json_bool(line, "commandsWaiting", report->commands_waiting);
  dg_json_integer(line, "waiting", dg_waiting(&it->client));
}

/* Fetches a command without values of its payload, and does not run it. */
static void poll(device *it, dg_text *line) {
  dg_command command;
  start_result(it, line, "poll", dg_commands_next(&it->client, 0, &command, NULL, 0));
  dg_json_text(line, "name", command.name);
}

/* Runs the next command, if there is one: it adds a line to the file "blinks". `holds`: does not report it. */
static void run_command(device *it, dg_text *line, uint32_t wait_seconds, bool holds) {
  dg_command command;
  int64_t times = 1;
  char path[512], result[64];
  dg_text text = dg_text_in(result, sizeof result);
  const dg_json_field payload[] = {{DG_COMMAND_PAYLOAD "times", DG_JSON_INTEGER, &times, 0, false}};
  dg_status status = dg_commands_next(&it->client, wait_seconds, &command, payload, 1);
  if (status == DG_OK && command.name[0] != 0) {
    if (is_last(it)) die();
    snprintf(path, sizeof path, "%s/blinks", it->folder);
    FILE *file = fopen(path, "a");
    if (file != NULL) {
      fprintf(file, "%s\n", command.id);
      fclose(file);
    }
    dg_json_open(&text, NULL, '{');
    dg_json_integer(&text, "times", times);
    dg_json_close(&text, '}');
    /* Two reports that are not JSON: one by its result, one by its message. */
    const char *message = times == -2 ? "\xff" : "ok";
    if (!holds)
      status = dg_commands_finish(&it->client, strcmp(command.name, "blink") == 0, times == -1 ? "nan" : result, message);
  }
  start_result(it, line, "command", status);
  dg_json_text(line, "name", command.name);
  dg_json_integer(line, "times", times);
}

static dg_config config;
static char greeting[32];

static void perform(device *it, const char *command) {
  char bytes[1024];
  dg_text line = dg_text_in(bytes, sizeof bytes);
  dg_flush_report report;
  int64_t number = strchr(command, '=') == NULL ? 0 : strtoll(strchr(command, '=') + 1, NULL, 10);
  if (strncmp(command, "record=", 7) == 0 || strncmp(command, "padded=", 7) == 0) {
    dg_status status = record(it, it->client.next_id, command[0] == 'p' ? number : 0);
    start_result(it, &line, "record", status);
    dg_json_integer(&line, "seq", it->client.next_id - 1);
    print(&line);
    if (command[0] == 'r' && number > 1) {
      char next[32];
      snprintf(next, sizeof next, "record=%lld", (long long)number - 1);
      perform(it, next);
    }
    return;
  }
  if (strncmp(command, "sleep=", 6) == 0) {
    it->slept_ms += number;
    return;
  }
  if (strncmp(command, "limit=", 6) == 0) {
    it->total_seconds = (uint32_t)number;
    return;
  }
  if (strncmp(command, "fail-load=", 10) == 0) {
    it->failing_load = number;
    return;
  }
  if (strncmp(command, "fail-save=", 10) == 0) {
    it->failing_save = number;
    return;
  }
  if (strcmp(command, "pause") == 0) {
    start_result(it, &line, command, DG_OK);
    print(&line);
    getchar();
    return;
  }
  if (strcmp(command, "flush") == 0) print_flush(it, &line, command, dg_flush(&it->client, &report), &report);
  else if (strcmp(command, "check-in") == 0)
    print_flush(it, &line, command, dg_check_in(&it->client, &report), &report);
  else if (strcmp(command, "connect") == 0) start_result(it, &line, command, dg_connect(&it->client));
  else if (strncmp(command, "command=", 8) == 0) run_command(it, &line, (uint32_t)number, false);
  else if (strcmp(command, "poll") == 0) poll(it, &line);
  else if (strcmp(command, "hold") == 0) run_command(it, &line, 0, true);
  else if (strcmp(command, "update") == 0) run_update(it, &line);
  else if (strcmp(command, "answer") == 0)
    start_result(it, &line, command,
                 dg_answer_update_request(&it->client, config.update_request_id, "no-update-available", NULL));
  else {
    const dg_json_field own = {"display.greeting", DG_JSON_TEXT, greeting, sizeof greeting, false};
    start_result(it, &line, command, dg_read_config(&it->client, &config, &own, 1));
    dg_json_integer(&line, "interval", config.telemetry_interval_seconds);
    dg_json_bool(&line, "otaEnabled", config.ota_enabled);
    dg_json_text(&line, "requestId", config.update_request_id);
    dg_json_bool(&line, "commandsWaiting", config.commands_waiting);
    dg_json_text(&line, "greeting", greeting);
  }
  print(&line);
}

static bool read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  size_t length = fread(text, 1, size - 1, file);
  text[length] = 0;
  return fclose(file) == 0;
}

int main(int count, char **arguments) {
  static device it;
  static char pem[1024];
  const char *kill_at = getenv("KILL_AT");
  const char *records = getenv("BUFFER_RECORDS");
  const char *claim_code = getenv("CLAIM_CODE");
  if (count < 6 || !read_file(arguments[5], pem, sizeof pem)) return 2;
  it.folder = arguments[2];
  it.kill_at = kill_at == NULL ? 0 : atol(kill_at);
  it.key = (dg_pinned_key){arguments[4], pem};
  mkdir(it.folder, 0700);
  dg_host_storage_open(&it.host_storage, it.folder, &it.real_storage);
  dg_host_clock_open(&it.real_clock);
  it.host_http.ca_file = getenv("CA_FILE");
  if (!dg_host_http_open(&it.host_http, &it.real_http) || !dg_host_crypto_open(&it.host_crypto, &it.crypto)) return 2;
  it.http = (dg_http_port){&it, exchange};
  it.storage = (dg_storage_port){&it, load, save};
  it.clock = (dg_clock_port){&it, now_ms, wait_ms};
  it.options = (dg_options){
      .base_url = arguments[1],
      .identity = {.device_id = arguments[3],
                   .hardware_id = "esp32:devkit-v1",
                   .claim_code = claim_code == NULL ? "ABCD-EFGH" : claim_code,
                   .target_hardware = "esp32dev",
                   .capabilities = "{\"externalDownload\":true}"},
      .ports = {&it.http, &it.storage, &it.clock, &it.crypto},
      .buffer_records = records == NULL ? 0 : (uint32_t)atol(records),
      .on_event = on_event,
  };
  if (!boot(&it)) return 3;
  for (int i = 6; i < count; i++) perform(&it, arguments[i]);
  printf("{\"operations\":%ld}\n", it.operations);
  dg_host_crypto_close(&it.host_crypto);
  dg_host_http_close(&it.host_http);
  return 0;
}
