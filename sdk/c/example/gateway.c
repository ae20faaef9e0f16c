/*
 * A whole gateway: registers, sends readings, follows its configuration, runs commands and installs updates.
 *   build/gateway https://gateway.example.com DEVICE_ID CLAIM_CODE KEY_ID KEY.pem FOLDER [ROUNDS]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dg_commands.h"
#include "dg_host.h"
#include "dg_update.h"

/* On a device, everything below is static memory: about 18 KB with the default limits. */
static dg_client client;
static dg_updater updater;
static dg_config config = {.telemetry_interval_seconds = 60, .ota_enabled = true};
static dg_host_firmware bootloader;
static dg_firmware_port firmware;

/* How long the server asked to wait with Retry-After. */
static int64_t asked_seconds;

static void on_event(void *context, dg_event event, int64_t number) {
  (void)context;
  switch (event) {
    case DG_REGISTERED: printf("Registered.\n"); break;
    case DG_LOGGED_IN: printf("Logged in.\n"); break;
    case DG_RETRYING: printf("Waiting %lld ms: %s\n", (long long)number, client.error.message); break;
    default: printf("Record %lld was dropped.\n", (long long)number); break;
  }
}

static void print_error(const char *what) {
  asked_seconds = client.error.retry_after_seconds;
  printf("%s failed (%s, HTTP %d): %s\n", what, dg_problem_code(client.error.problem), client.error.http_status,
         client.error.message);
}

/* Stores one reading. It is sent later, also after a power cut. */
static void record_reading(int64_t centivolts) {
  dg_text record;
  dg_record_begin(&client, &record, 0);
  dg_json_decimal(&record, "voltage", centivolts, 2);
  dg_json_open(&record, "bms", '{');
  dg_json_integer(&record, "soc", 64);
  dg_json_bool(&record, "charging", true);
  dg_json_close(&record, '}');
  if (dg_record_end(&client, &record) != DG_OK) print_error("Storing a reading");
}

static void read_config(void) {
  if (dg_read_config(&client, &config, NULL, 0) == DG_OK)
    printf("A reading every %lld s.\n", (long long)config.telemetry_interval_seconds);
  else print_error("Reading the configuration");
}

/* Checks for firmware and installs it. Returns why that was not possible, or NULL. */
static const char *update(void) {
  static dg_outcome outcome;
  const char *reason = NULL;
  if (dg_update_run(&updater, &outcome) != DG_OK) {
    print_error("The update");
    return "The update could not run.";
  }
  switch (outcome.kind) {
    case DG_RESTARTING: printf("Restarting for %s.\n", outcome.version); break;
    case DG_LATER: asked_seconds = outcome.retry_after_seconds; /* fall through */
    case DG_FAILED_UPDATE: reason = outcome.message; break;
    case DG_REFUSED_OFFER: reason = outcome.code; break;
    case DG_HELD: reason = "The image failed before."; break;
    default: printf("Runs %s.\n", bootloader.running); break;
  }
  if (reason != NULL) printf("No update now: %s\n", reason);
  if (config.update_request_id[0] != 0)
    dg_answer_update_request(&client, config.update_request_id, reason == NULL ? "done" : "failed", reason);
  config.update_request_id[0] = 0;
  return reason;
}

/* Runs the commands that wait: "blink" with the field "times", and "update now". */
static void run_commands(void) {
  dg_command command;
  int64_t times = 1;
  const dg_json_field payload[] = {{DG_COMMAND_PAYLOAD "times", DG_JSON_INTEGER, &times, 0, false}};
  while (dg_commands_next(&client, 0, &command, payload, 1) == DG_OK && command.name[0] != 0) {
    const char *problem = NULL;
    if (strcmp(command.name, DG_UPDATE_NOW) == 0) problem = update();
    else if (strcmp(command.name, "blink") == 0) printf("Blinks %lld times.\n", (long long)times);
    else problem = "There is no such command.";
    if (dg_commands_finish(&client, problem == NULL, NULL, problem) != DG_OK) print_error("Reporting a command");
    times = 1;
  }
}

int main(int count, char **arguments) {
  static char pem[1024];
  dg_host_http host_http = {.ca_file = getenv("CA_FILE")};
  dg_host_storage host_storage;
  dg_host_crypto host_crypto;
  dg_http_port http;
  dg_storage_port storage;
  dg_clock_port clock;
  dg_crypto_port crypto;
  if (count < 7) {
    printf("Usage: gateway URL DEVICE_ID CLAIM_CODE KEY_ID KEY.pem FOLDER [ROUNDS]\n");
    return 2;
  }
  const char *folder = arguments[6];
  long rounds = count > 7 ? atol(arguments[7]) : -1;
  mkdir(folder, 0700);
  FILE *file = fopen(arguments[5], "r");
  if (file == NULL || fread(pem, 1, sizeof pem - 1, file) == 0) {
    printf("%s cannot be read.\n", arguments[5]);
    return 2;
  }
  fclose(file);

  /* The ports of this device. A firmware has its own. */
  dg_host_storage_open(&host_storage, folder, &storage);
  dg_host_clock_open(&clock);
  if (!dg_host_http_open(&host_http, &http) || !dg_host_crypto_open(&host_crypto, &crypto) ||
      !dg_host_firmware_boot(&bootloader, folder, "1.0.0", &firmware))
    return 2;

  const dg_pinned_key key = {arguments[4], pem};
  const dg_options options = {
      .base_url = arguments[1],
      .identity = {.device_id = arguments[2],
                   .hardware_id = "esp32:devkit-v1",
                   .target_hardware = "esp32dev",
                   .firmware_version = bootloader.running,
                   .claim_code = arguments[3]},
      .ports = {&http, &storage, &clock, &crypto},
      .on_event = on_event,
  };
  const dg_update_options update_options = {.firmware = &firmware,
                                            .target_hardware = "esp32dev",
                                            .running = bootloader.running,
                                            .keys = &key,
                                            .key_count = 1};
  /* A buffer that cannot be read now is read again later. */
  if (dg_client_open(&client, &options) == DG_INVALID || dg_update_open(&updater, &client, &update_options) != DG_OK) {
    print_error("Starting");
    return 1;
  }

  /* First the updater: an image on trial must confirm itself. */
  update();
  for (long round = 0; round != rounds && !bootloader.must_restart; round++) {
    dg_flush_report report;
    int64_t interval = config.telemetry_interval_seconds;
    if (round > 0) clock.wait_ms(clock.context, (uint32_t)(interval > asked_seconds ? interval : asked_seconds) * 1000);
    asked_seconds = 0;
    record_reading(2653 + round);
    if (dg_flush(&client, &report) != DG_OK) {
      print_error("Sending");
      continue;
    }
    printf("Sent %lld readings.\n", (long long)report.accepted);
    if (report.config_changed) read_config();
    if (report.commands_waiting) run_commands();
    if (bootloader.must_restart) break;
    if (report.update_available || config.update_request_id[0] != 0) update();
  }
  dg_host_crypto_close(&host_crypto);
  dg_host_http_close(&host_http);
  /* A firmware would restart here. A script may start this program again. */
  return bootloader.must_restart ? 75 : 0;
}
