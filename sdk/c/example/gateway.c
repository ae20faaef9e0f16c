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

/* Returns true if the device must restart. */
static bool update(void) {
  dg_outcome outcome;
  if (dg_update_run(&updater, &outcome) != DG_OK) {
    print_error("The update");
    return false;
  }
  switch (outcome.kind) {
    case DG_RESTARTING: printf("Restarting for %s.\n", outcome.version); break;
    case DG_LATER: printf("Later: %s\n", outcome.message); break;
    case DG_REFUSED_OFFER: printf("%s is refused: %s\n", outcome.version, outcome.code); break;
    case DG_FAILED_UPDATE: printf("%s failed: %s\n", outcome.version, outcome.message); break;
    case DG_HELD: printf("%s failed before and waits.\n", outcome.version); break;
    default: printf("Runs %s.\n", bootloader.running); break;
  }
  if (config.update_request_id[0] != 0)
    dg_answer_update_request(&client, config.update_request_id, "done", outcome.message);
  config.update_request_id[0] = 0;
  return bootloader.must_restart;
}

/* Runs the commands that wait: "blink" with the field "times", and "update now". Returns true if the device must restart. */
static bool run_commands(void) {
  dg_command command;
  int64_t times = 1;
  bool must_restart = false;
  const dg_json_field payload[] = {{DG_COMMAND_PAYLOAD "times", DG_JSON_INTEGER, &times, 0, false}};
  while (dg_commands_next(&client, 0, &command, payload, 1) == DG_OK && command.name[0] != 0) {
    bool is_update = strcmp(command.name, DG_UPDATE_NOW) == 0;
    bool is_known = is_update || strcmp(command.name, "blink") == 0;
    if (is_update) must_restart = update();
    else if (is_known) printf("Blinks %lld times.\n", (long long)times);
    if (dg_commands_finish(&client, is_known, NULL, is_known ? NULL : "There is no such command.") != DG_OK)
      print_error("Reporting a command");
    times = 1;
  }
  return must_restart;
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
  if (dg_client_open(&client, &options) != DG_OK || dg_update_open(&updater, &client, &update_options) != DG_OK) {
    print_error("Starting");
    return 1;
  }

  /* First the updater: an image on trial must confirm itself. */
  bool must_restart = update();
  for (long round = 0; round != rounds && !must_restart; round++) {
    dg_flush_report report;
    if (round > 0) clock.wait_ms(clock.context, (uint32_t)config.telemetry_interval_seconds * 1000);
    record_reading(2653 + round);
    if (dg_flush(&client, &report) != DG_OK) {
      print_error("Sending");
      continue;
    }
    printf("Sent %lld readings.\n", (long long)report.accepted);
    if (report.config_changed) read_config();
    if (report.commands_waiting) must_restart = run_commands();
    if (must_restart) break;
    if (report.update_available || config.update_request_id[0] != 0) must_restart = update();
  }
  dg_host_crypto_close(&host_crypto);
  dg_host_http_close(&host_http);
  /* A firmware would restart here. A script may start this program again. */
  return must_restart ? 75 : 0;
}
