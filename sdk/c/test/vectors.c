/* Runs the test vectors of the reference updater: vectors FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dg_host.h"
#include "dg_json.h"
#include "internal.h"
#include "update_internal.h"

static int checks, failures;

static void check(bool is_good, const char *file, const char *name, const char *what) {
  checks++;
  if (is_good) return;
  failures++;
  printf("%s: \"%s\": %s is wrong\n", file, name, what);
}

/* Returns what follows a JSON value. The files are known to be JSON. */
static const char *skip(const char *at) {
  int depth = 0;
  do {
    at += strspn(at, " \n,:");
    if (*at == '"') {
      for (at++; *at != '"'; at++) at += *at == '\\';
      at++;
    } else if (*at == '{' || *at == '[') {
      depth++;
      at++;
      at += strspn(at, " \n");
    } else if (*at != '}' && *at != ']') {
      at += strcspn(at, ",]} \n");
    }
    at += strspn(at, " \n");
    while (depth > 0 && (*at == '}' || *at == ']')) {
      depth--;
      at++;
      if (depth > 0) at += strspn(at, " \n");
    }
  } while (depth > 0);
  return at;
}

/* Returns the member of an object, or NULL. */
static const char *member(const char *object, const char *name) {
  size_t length = strlen(name);
  for (const char *at = object + 1;;) {
    at += strspn(at, " \n,");
    if (*at == '}') return NULL;
    const char *value = skip(at);
    value += strspn(value, " :");
    if (strncmp(at + 1, name, length) == 0 && at[length + 1] == '"') return value;
    at = skip(value);
  }
}

/* Moves from an array to its first element, or from an element to the next. Returns NULL at the end. */
static const char *next(const char *at, bool is_first) {
  at = is_first ? at + 1 : skip(at);
  at += strspn(at, " \n,");
  return *at == ']' ? NULL : at;
}

static void read_fields(const char *json, const dg_json_field *fields, size_t count) {
  dg_json_reader reader;
  dg_json_begin(&reader, fields, count);
  if (!dg_json_feed(&reader, json, (size_t)(skip(json) - json)) || !dg_json_end(&reader)) {
    printf("The reader refuses %.80s\n", json);
    exit(1);
  }
}

static char *read_file(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0) {
    printf("%s cannot be read\n", path);
    exit(2);
  }
  fclose(file);
  return text;
}

#define TEXT(path, buffer) {path, DG_JSON_TEXT, buffer, sizeof(buffer), false}
#define NUMBER(path, number) {path, DG_JSON_INTEGER, &(number), 0, false}
#define COUNT_OF(fields) (sizeof(fields) / sizeof *(fields))

static void read_offer(const char *json, dg_offer *offer) {
  const dg_json_field fields[] = {
      TEXT("version", offer->version),
      TEXT("targetHardware", offer->target_hardware),
      TEXT("releasedAt", offer->released_at),
      TEXT("sha256", offer->sha256),
      TEXT("signature", offer->signature),
      TEXT("signingKeyId", offer->signing_key_id),
      TEXT("signatureAlgorithm", offer->signature_algorithm),
      NUMBER("size", offer->size),
      TEXT("downloadUrl", offer->download_url),
  };
  memset(offer, 0, sizeof *offer);
  read_fields(json, fields, COUNT_OF(fields));
}

static void run_offers(const char *text, const dg_crypto_port *crypto) {
  static char ids[4][64], pems[4][512];
  dg_pinned_key keys[4];
  size_t key_count = 0;
  for (const char *key = next(member(text, "keys"), true); key != NULL; key = next(key, false)) {
    const dg_json_field fields[] = {TEXT("id", ids[key_count]), TEXT("pem", pems[key_count])};
    read_fields(key, fields, COUNT_OF(fields));
    keys[key_count] = (dg_pinned_key){ids[key_count], pems[key_count]};
    key_count++;
  }
  for (const char *at = next(member(text, "cases"), true); at != NULL; at = next(at, false)) {
    char name[128], expected[64], target[64], running[64], floor[64];
    dg_offer offer;
    dg_facts facts = {.keys = keys, .key_count = key_count, .crypto = crypto};
    const dg_json_field fields[] = {TEXT("name", name), TEXT("expected", expected)};
    const dg_json_field device_fields[] = {TEXT("targetHardware", target), TEXT("running", running),
                                           TEXT("floor", floor), NUMBER("capacity", facts.capacity)};
    const char *device = member(at, "device");
    read_fields(at, fields, COUNT_OF(fields));
    read_fields(device == NULL ? member(text, "device") : device, device_fields, COUNT_OF(device_fields));
    facts.target_hardware = target;
    facts.running = running;
    facts.floor = floor;
    read_offer(member(at, "offer"), &offer);
    const char *refusal = dg_assess_offer(&offer, &facts);
    check(strcmp(refusal == NULL ? "taken" : refusal, expected) == 0, "offers", name, "the decision");
  }
}

static void run_versions(const char *text) {
  char version[64], a[64], b[64];
  int64_t expected;
  const dg_json_field one = TEXT("", version);
  const dg_json_field pair[] = {TEXT("a", a), TEXT("b", b), NUMBER("expected", expected)};
  for (const char *at = next(member(text, "valid"), true); at != NULL; at = next(at, false)) {
    read_fields(at, &one, 1);
    check(dg_is_version(version), "versions", version, "the verdict");
  }
  for (const char *at = next(member(text, "invalid"), true); at != NULL; at = next(at, false)) {
    read_fields(at, &one, 1);
    check(!dg_is_version(version), "versions", version, "the verdict");
  }
  for (const char *at = next(member(text, "comparisons"), true); at != NULL; at = next(at, false)) {
    read_fields(at, pair, COUNT_OF(pair));
    check(dg_compare_versions(a, b) == expected, "versions", a, "the order");
  }
}

static const char *const phases[] = {"idle", "downloading", "downloaded", "installing", "trial", "rolling_back"};
static const char *const effects[] = {"", "check", "download", "read_back", "install", "reboot", "try_out", "roll_back"};
static const char *const outcomes[] = {"",     "up_to_date", "later",   "restarting",
                                       "held", "failed",     "refused", "cancelled"};
static const char *const events[] = {
    "booted",    "offered",   "not_offered", "unavailable",    "opened",           "wrote",
    "interrupted", "gone",    "download_refused", "flash_failed", "received",      "read_back",
    "activated", "install_failed", "reboot_requested", "confirmed", "self_test_failed", "rollback_requested"};

static void check_report(const char *json, const dg_report *report, const char *name) {
  char state[32] = "", version[32] = "", code[32] = "", message[256] = "", timestamp[32] = "", at[25];
  int64_t progress = -1;
  const dg_json_field fields[] = {TEXT("state", state), TEXT("version", version),     NUMBER("progress", progress),
                                  TEXT("code", code),   TEXT("message", message), TEXT("timestamp", timestamp)};
  read_fields(json, fields, COUNT_OF(fields));
  dg_format_time(report->at_ms, at);
  check(strcmp(state, dg_ota_state_word((dg_ota_state)report->state)) == 0, "traces", name, "a report's state");
  check(strcmp(version, report->version) == 0, "traces", name, "a report's version");
  check(strcmp(code, report->code) == 0, "traces", name, "a report's code");
  check(strcmp(message, report->message) == 0, "traces", name, "a report's message");
  check(strcmp(timestamp, at) == 0, "traces", name, "a report's time");
  check(progress == report->progress, "traces", name, "a report's progress");
}

static void check_phase(const char *json, const dg_update_state *state, const char *offers, const char *name) {
  char kind[32], letter[8] = "", etag[64] = "", from[32] = "", code[32] = "", message[256] = "";
  int64_t offset = 0, restarts = 0, failed = 0, attempts = 0, boots = 0;
  dg_offer offer;
  const dg_json_field fields[] = {
      TEXT("kind", kind),           TEXT("offer", letter),      NUMBER("offset", offset),
      TEXT("etag", etag),           NUMBER("restarts", restarts), NUMBER("failures", failed),
      NUMBER("attempts", attempts), NUMBER("boots", boots),     TEXT("from", from),
      TEXT("code", code),           TEXT("message", message)};
  memset(&offer, 0, sizeof offer);
  read_fields(json, fields, COUNT_OF(fields));
  if (letter[0] != 0) read_offer(member(offers, letter), &offer);
  check(strcmp(kind, phases[state->phase]) == 0, "traces", name, "the phase");
  check(memcmp(&offer, &state->offer, sizeof offer) == 0, "traces", name, "the phase's offer");
  check(offset == state->offset, "traces", name, "the offset");
  check(restarts == state->restarts, "traces", name, "restarts");
  check(failed == state->failures, "traces", name, "failures");
  check(attempts == state->attempts, "traces", name, "attempts");
  check(boots == state->boots, "traces", name, "boots");
  check(strcmp(etag, state->etag) == 0, "traces", name, "the ETag");
  check(strcmp(from, state->from) == 0, "traces", name, "the former version");
  check(strcmp(code, state->code) == 0, "traces", name, "the code");
  check(strcmp(message, state->message) == 0, "traces", name, "the message");
}

static void check_after(const char *after, const dg_machine *machine, int64_t reports_before, const char *offers,
                        const char *name) {
  const dg_update_state *state = &machine->state;
  char floor[32], refusal[160] = "", effect[32] = "";
  char kind[32] = "", version[32] = "", code[32] = "", message[256] = "";
  int64_t retry_after = -1, until = DG_NEVER, troubles = 0, reports = 0;
  bool checked = false;
  const dg_json_field fields[] = {TEXT("floor", floor),
                                  TEXT("refusal", refusal),
                                  TEXT("effect", effect),
                                  {"checked", DG_JSON_BOOL, &checked, 0, true},
                                  TEXT("ended.kind", kind),
                                  TEXT("ended.version", version),
                                  TEXT("ended.code", code),
                                  TEXT("ended.message", message),
                                  NUMBER("ended.retryAfterSeconds", retry_after),
                                  NUMBER("ended.until", until),
                                  {"troubles", DG_JSON_COUNT, &troubles, 0, true},
                                  {"reports", DG_JSON_COUNT, &reports, 0, true}};
  read_fields(after, fields, COUNT_OF(fields));
  check(strcmp(floor, state->floor) == 0, "traces", name, "the floor");
  check(strcmp(refusal, state->refusal) == 0, "traces", name, "the refusal");
  check(strcmp(effect, effects[dg_next_effect(machine)]) == 0, "traces", name, "the effect");
  check(checked == machine->checked, "traces", name, "checked");
  check(strcmp(kind, outcomes[machine->ended.kind]) == 0, "traces", name, "the outcome");
  if (kind[0] != 0) {
    check(strcmp(version, machine->ended.version) == 0, "traces", name, "the outcome's version");
    check(strcmp(code, machine->ended.code) == 0, "traces", name, "the outcome's code");
    check(strcmp(message, machine->ended.message) == 0, "traces", name, "the outcome's message");
    check(retry_after == machine->ended.retry_after_seconds, "traces", name, "Retry-After");
    check(machine->ended.kind != DG_HELD || until == machine->ended.until_ms, "traces", name, "until");
  }
  check_phase(member(after, "phase"), state, offers, name);
  check(troubles == state->trouble_count, "traces", name, "the number of troubles");
  const dg_trouble *trouble = state->troubles;
  for (const char *at = next(member(after, "troubles"), true); at != NULL; at = next(at, false), trouble++) {
    char sha256[80];
    int64_t failed = 0, retry_at = DG_NEVER;
    const dg_json_field one[] = {TEXT("sha256", sha256), NUMBER("failures", failed), NUMBER("retryAt", retry_at)};
    read_fields(at, one, COUNT_OF(one));
    check(strcmp(sha256, trouble->sha256) == 0, "traces", name, "a trouble's image");
    check(failed == trouble->failures && retry_at == trouble->retry_at_ms, "traces", name, "a trouble");
  }
  check(reports == state->report_count - reports_before, "traces", name, "the number of reports");
  const dg_report *report = state->reports + reports_before;
  for (const char *at = next(member(after, "reports"), true); at != NULL; at = next(at, false))
    check_report(at, report++, name);
}

static void run_step(dg_machine *machine, const char *step, const char *offers, const char *name) {
  static char running[32], refusal[32], message[256], code[32], sha256[80], etag[64];
  char kind[32], letter[8] = "";
  int64_t now = 0, retry_after = -1;
  dg_offer offer;
  dg_update_event event = {.kind = DG_ON_BOOTED};
  const dg_json_field fields[] = {NUMBER("now", now),
                                  TEXT("event.kind", kind),
                                  TEXT("event.running", running),
                                  TEXT("event.offer", letter),
                                  TEXT("event.refusal", refusal),
                                  TEXT("event.message", message),
                                  TEXT("event.code", code),
                                  TEXT("event.sha256", sha256),
                                  TEXT("event.etag", etag),
                                  NUMBER("event.offset", event.offset),
                                  NUMBER("event.retryAfterSeconds", retry_after)};
  refusal[0] = etag[0] = 0;
  read_fields(step, fields, COUNT_OF(fields));
  while (strcmp(events[event.kind], kind) != 0) event.kind++;
  if (letter[0] != 0) read_offer(member(offers, letter), &offer);
  event.offer = &offer;
  event.running = running;
  event.refusal = refusal[0] == 0 ? NULL : refusal;
  event.message = message;
  event.code = code;
  event.sha256 = sha256;
  event.etag = etag;
  event.retry_after_seconds = (int32_t)retry_after;
  int64_t reports_before = machine->state.report_count;
  if (event.kind == DG_ON_BOOTED) {
    /* As after a power cut: only the stored state is left. */
    static uint8_t stored[DG_STATE_BYTES];
    size_t length = dg_write_state(&machine->state, stored, sizeof stored);
    memset(machine, 0xa5, sizeof *machine);
    check(dg_read_state(&machine->state, stored, length), "traces", name, "the stored state");
  }
  check(dg_transition(machine, &event, now), "traces", name, "the event");
  check_after(member(step, "after"), machine, reports_before, offers, name);
}

static void run_traces(const char *text) {
  const char *offers = member(text, "offers");
  for (const char *trace = next(member(text, "traces"), true); trace != NULL; trace = next(trace, false)) {
    static dg_machine machine;
    char name[128];
    const dg_json_field field = TEXT("name", name);
    memset(&machine, 0, sizeof machine);
    dg_initial_state(&machine.state, "1.0.0");
    read_fields(trace, &field, 1);
    for (const char *step = next(member(trace, "steps"), true); step != NULL; step = next(step, false))
      run_step(&machine, step, offers, name);
  }
}

int main(int count, char **arguments) {
  dg_host_crypto host;
  dg_crypto_port crypto;
  if (count != 2 || !dg_host_crypto_open(&host, &crypto)) return 2;
  char *offers = read_file(arguments[1], "offers.json");
  char *versions = read_file(arguments[1], "versions.json");
  char *traces = read_file(arguments[1], "traces.json");
  run_offers(offers, &crypto);
  run_versions(versions);
  run_traces(traces);
  free(offers);
  free(versions);
  free(traces);
  dg_host_crypto_close(&host);
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
