/* Tests of downloads and of starts of the updater against a scripted server. */
#include "fakes.h"

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

int main(void) {
  test_broken_heads();
  return finish_tests();
}
