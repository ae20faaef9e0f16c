/* Tests of downloads and of starts of the updater against a scripted server. */
#include "fakes.h"
#include "update_network.h"

static dg_updater updater;

static bool flash_begin(void *context, uint32_t size) {
  (void)context;
  (void)size;
  return true;
}
static bool flash_write(void *context, uint32_t offset, const void *bytes, size_t length) {
  (void)context;
  (void)offset;
  (void)bytes;
  (void)length;
  return true;
}
static bool flash_read(void *context, uint32_t offset, void *bytes, size_t length) {
  (void)context;
  (void)offset;
  memset(bytes, 0, length);
  return true;
}
static bool install(void *context) {
  (void)context;
  return true;
}
static void reboot(void *context) { (void)context; }
static bool confirm(void *context) {
  (void)context;
  fake.confirms++;
  return !fake.fails_confirm;
}
static const char *self_test(void *context) {
  (void)context;
  fake.self_tests++;
  return fake.self_test;
}
static const dg_firmware_port firmware = {NULL,    1000,   flash_begin, flash_write, flash_read,
                                          install, reboot, confirm,     reboot,      self_test};
static const dg_pinned_key key = {"k", ""};

/* Starts an updater, as after a restart into an image. */
static void boot(const char *running) {
  restart();
  memset(&updater, 0, sizeof updater);
  updater.client = &client;
  updater.options = (dg_update_options){&firmware, "esp32", running, &key, 1};
}

/* Continues a download of 100 bytes that has 40. */
static void resume(fake_answer answer) {
  dg_update_state *state = &updater.machine.state;
  start();
  boot("1.0.0");
  dg_initial_state(state, "1.0.0");
  state->phase = DG_DOWNLOADING;
  state->offset = 40;
  state->offer.size = 100;
  strcpy(state->offer.version, "1.1.0");
  strcpy(state->offer.download_url, "http://gateway/image");
  strcpy(state->etag, "\"a\"");
  plan(answer);
  check(dg_download(&updater) == DG_OK, "downloads");
  check(fake.total_seconds == 0, "a download may take any time");
}

/* A connection that breaks within the head of a response is a fault of the network. */
static void test_broken_heads(void) {
  const dg_machine *machine = &updater.machine;
  resume((fake_answer){.status = 206, .breaks = true});
  check(machine->ended.kind == DG_LATER && machine->state.offset == 40, "a broken 206 keeps the progress");
  resume((fake_answer){.status = 200, .breaks = true});
  check(machine->ended.kind == DG_LATER && machine->state.offset == 40, "a broken 200 keeps the progress");
  check(machine->state.restarts == 0, "a broken 200 is no restart");
  resume((fake_answer){.status = 404, .breaks = true});
  check(machine->ended.kind == DG_LATER, "a broken 404 cancels nothing");
  resume((fake_answer){.status = 404});
  check(machine->ended.kind == DG_CANCELLED, "a whole 404 without a body cancels");
  resume((fake_answer){206, "Content-Range", "bytes 40-99/100", .body = "0123456789", .breaks = true});
  check(machine->ended.kind == DG_RUNNING && machine->state.offset == 50, "a broken body keeps what arrived");
}

/* Answers a check for firmware. Notes whether the image was confirmed before. */
static int confirms_before_check;
static fake_answer offer_nothing(const char *body) {
  (void)body;
  confirms_before_check = fake.confirms;
  return (fake_answer){.status = 200, .body = "{\"updateAvailable\":false}"};
}

/* Starts an image and runs its updater. Returns whether the highest confirmed version is then `floor`. */
static bool starts(const char *running, const char *reason, const char *floor) {
  dg_outcome outcome;
  fake.respond = offer_nothing;
  fake.self_test = reason;
  fake.self_tests = fake.confirms = confirms_before_check = 0;
  boot(running);
  check(dg_update_run(&updater, &outcome) == DG_OK && outcome.kind == DG_UP_TO_DATE, "runs the updater");
  check(dg_update_run(&updater, &outcome) == DG_OK, "runs it again");
  return strcmp(updater.machine.state.floor, floor) == 0;
}

/* An image that the stored state does not explain is tested and confirmed like one on trial. */
static void test_unknown_images(void) {
  start();
  check(starts("1.1.0", NULL, "1.1.0"), "an image without a state is confirmed");
  check(fake.self_tests == 1 && fake.confirms == 1 && confirms_before_check == 1, "once, and before the check");
  check(starts("1.1.0", NULL, "1.1.0") && fake.self_tests == 0 && fake.confirms == 0, "a confirmed image is known");
  check(starts("1.0.0", NULL, "1.1.0") && fake.self_tests == 0, "an earlier image is known");
  check(starts("1.2.0", "No sensor.", "1.1.0"), "a later image that fails its self-test raises nothing");
  check(fake.self_tests == 1 && fake.confirms == 0, "and is not confirmed");
  check(starts("1.2.0", NULL, "1.2.0") && fake.confirms == 1, "a later image is confirmed");
  fake.fails_confirm = true;
  check(starts("1.3.0", NULL, "1.2.0") && fake.confirms == 1, "an image that cannot be confirmed raises nothing");
  fake.fails_confirm = false;
  find_value("update")->bytes[4]++;
  check(starts("1.3.0", "No sensor.", "0.0.0"), "an image without a readable state raises nothing");
  check(starts("1.2.0", NULL, "1.2.0"), "nor does it stop the former image");
}

/* The longest report. Each control character needs six bytes in JSON. */
static void test_long_reports(void) {
  dg_report given = {.state = DG_OTA_ROLLED_BACK, .progress = 100, .at_ms = INT64_C(1769904000000)};
  start();
  memset(given.version, '9', sizeof given.version - 1);
  memset(given.code, 1, sizeof given.code - 1);
  memset(given.message, 1, sizeof given.message - 1);
  plan((fake_answer){.status = 202, .body = "{\"status\":\"accepted\"}"});
  check(dg_deliver_report(&client, &given) == DG_REPORT_DELIVERED, "the longest report is delivered");
  check(strlen(fake.body) > 6 * (sizeof given.code + sizeof given.message - 2), "with every character");
}

int main(void) {
  test_unknown_images();
  test_broken_heads();
  test_long_reports();
  return finish_tests();
}
