/* Tests of sign-in, telemetry, configuration and commands against a scripted server. */
#include "dg_commands.h"
#include "fakes.h"

#define SENT(accepted)                                                                                               \
  "{\"accepted\":" accepted ",\"duplicates\":0,\"rejected\":[],\"updateAvailable\":false,"                           \
  "\"serverTime\":\"2026-02-01T00:00:00.000Z\",\"configVersion\":\"v1\"}"
#define PROBLEM(code) "{\"code\":\"" code "\",\"detail\":\"No.\"}"

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

int main(void) {
  test_wrong_clock();
  test_interrupted_records();
  test_unreadable_buffer();
  return finish_tests();
}
