/* Tests of JSON, times and base64 at their edges. */
#include <string.h>

#include "check.h"
#include "dg_host.h"
#include "download_head.h"
#include "internal.h"
#include "update_internal.h"

/* Reads a text whole and byte by byte. Returns whether it is JSON. */
static bool reads(const char *text, const dg_json_field *fields, size_t count) {
  dg_json_reader whole, pieces;
  bool is_good = true;
  dg_json_begin(&pieces, fields, count);
  for (size_t i = 0; i < strlen(text); i++) is_good = is_good && dg_json_feed(&pieces, text + i, 1);
  is_good = is_good && dg_json_end(&pieces);
  dg_json_begin(&whole, fields, count);
  bool is_good_whole = dg_json_feed(&whole, text, strlen(text)) && dg_json_end(&whole);
  check(is_good == is_good_whole, text);
  return is_good_whole;
}

static void test_syntax(void) {
  static const char *const valid[] = {"{}", "[]", " [ ] ", "0", "-0", "1.5e+10", "true", "null", "\"\"",
                                      "[1,2,[3,{}]]", "{\"a\":{\"b\":[null,false]}}", "\"\\u00e9\\ud83d\\ude00\"",
                                      "\"\xc3\xa9\xf0\x9f\x98\x80\"", "{\"\":1}", "1E-2", "[-1.25]"};
  static const char *const invalid[] = {"", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "+1", "-", "1e",
                                        "tru", "truex", "[1 2]", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "{}{}", "[}",
                                        "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xc3\"",
                                        "{\"a\" 1}", "{\"a\":}", "<html>"};
  for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) check(reads(valid[i], NULL, 0), valid[i]);
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) check(!reads(invalid[i], NULL, 0), invalid[i]);
}

/* Writes `levels` arrays, or objects, around a number. */
static void nest(char *text, size_t levels, const char *opening, char closing) {
  *text = 0;
  for (size_t i = 0; i < levels; i++) strcat(text, opening);
  strcat(text, "1");
  size_t length = strlen(text);
  memset(text + length, closing, levels);
  text[length + levels] = 0;
}

static void test_depth(void) {
  char text[8 * DG_JSON_DEPTH];
  nest(text, DG_JSON_DEPTH, "[", ']');
  check(reads(text, NULL, 0), text);
  nest(text, DG_JSON_DEPTH + 1, "[", ']');
  check(!reads(text, NULL, 0), text);
  nest(text, DG_JSON_DEPTH, "{\"a\":", '}');
  check(reads(text, NULL, 0), text);
  nest(text, DG_JSON_DEPTH + 1, "{\"a\":", '}');
  check(!reads(text, NULL, 0), text);
}

static void test_fields(void) {
  char text[8], cut[8], decimal[8];
  int64_t number = 7, items = 7, deep = 7;
  bool flag = false;
  const dg_json_field fields[] = {{"a.text", DG_JSON_TEXT, text, sizeof text, false},
                                  {"a.cut", DG_JSON_TEXT_CUT, cut, sizeof cut, false},
                                  {"n", DG_JSON_INTEGER, &number, 0, true},
                                  {"list", DG_JSON_COUNT, &items, 0, false},
                                  {"list.1.x", DG_JSON_INTEGER, &deep, 0, false},
                                  {"flag", DG_JSON_BOOL, &flag, 0, false},
                                  {"d", DG_JSON_DECIMAL, decimal, sizeof decimal, false}};
  strcpy(text, "old");
  check(reads("{\"a\":{\"text\":\"1234567\",\"cut\":\"12345\\u00e9\\u00e9\"},\"n\":-12,"
              "\"list\":[{\"x\":1},{\"x\":2},3],\"flag\":true,\"d\":-1.25,\"more\":[{\"n\":9}]}",
              fields, 7),
        "all fields");
  check(strcmp(text, "1234567") == 0 && strcmp(cut, "12345") == 0 && number == -12, "texts and numbers");
  check(items == 3 && deep == 2 && flag && strcmp(decimal, "-1.25") == 0, "lists, booleans and decimals");
  check(reads("{\"a\":{\"text\":\"12345678\",\"cut\":\"123456\xc3\xa9\"},\"n\":1.5,\"list\":[]}", fields, 7), "long");
  check(text[0] == 0 && strcmp(cut, "123456") == 0 && number == DG_NOT_AN_INTEGER && items == 0, "long values");
  check(reads("{\"a\":{\"text\":\"1\\u0000\"},\"n\":12345678901234567890}", fields, 7), "U+0000");
  check(text[0] == 0 && number == DG_NOT_AN_INTEGER, "U+0000 and a large number");
  check(!reads("{\"n\":\"1\"}", fields, 7) && !reads("{}", fields, 7) && !reads("{\"n\":null}", fields, 7), "required");
  strcpy(text, "old");
  check(reads("{\"n\":1,\"a.text\":\"new\",\"b\":{\"a\":{\"text\":\"new\"}}}", fields, 7), "other paths");
  check(strcmp(text, "old") == 0, "a name with a dot is another path");
}

static void test_writer(void) {
  char bytes[128], tiny[8];
  dg_text json = dg_text_in(bytes, sizeof bytes);
  dg_json_open(&json, NULL, '{');
  dg_json_decimal(&json, "a", -5, 2);
  dg_json_decimal(&json, "b", 2150, 0);
  dg_json_integer(&json, "c", INT64_MIN);
  dg_json_open(&json, "d", '[');
  dg_json_bool(&json, NULL, true);
  dg_json_text(&json, NULL, "\"\\\n");
  dg_json_close(&json, ']');
  dg_json_close(&json, '}');
  check(strcmp(bytes, "{\"a\":-0.05,\"b\":2150,\"c\":-9223372036854775808,\"d\":[true,\"\\\"\\\\\\u000a\"]}") == 0, bytes);
  json = dg_text_in(tiny, sizeof tiny);
  dg_json_text(&json, NULL, "1234567");
  check(json.overflow && tiny[7] == 0, "overflow");
}

static void test_times(void) {
  char text[25];
  dg_format_time(INT64_C(1769904001007), text);
  check(strcmp(text, "2026-02-01T00:00:01.007Z") == 0, text);
  dg_format_time(INT64_C(1709251199999), text);
  check(strcmp(text, "2024-02-29T23:59:59.999Z") == 0, text);
  for (int64_t at = 0; at < INT64_C(4102444800000); at += INT64_C(86399999) * 7) {
    dg_format_time(at, text);
    check(dg_parse_time(text) == at, text);
  }
  check(dg_parse_time("2026-02-01T00:00:01Z") == -1 && dg_parse_time("") == -1, "invalid times");
  check(dg_parse_retry_after("3601", 0) == 3600 && dg_parse_retry_after("99999999999999999999", 0) == 3600, "an hour");
  check(dg_parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 0) == -1, "a date without a clock");
  check(dg_parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 1) == 3600, "a date far ahead");
  check(dg_parse_retry_after("120", 0) == 120 && dg_parse_retry_after("soon", 0) == -1, "Retry-After in seconds");
  check(dg_parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", INT64_C(784111776000)) == 1, "Retry-After as a date");
  check(dg_parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", INT64_C(984111776000)) == 0, "a date in the past");
}

static void test_host_clock(void) {
  dg_clock_port port;
  dg_host_clock_open(&port);
  check(port.now_ms(port.context) > INT64_C(1700000000000), "the time of this machine");
  check(dg_host_to_epoch_ms(1769904001, 7999999) == INT64_C(1769904001007), "a clock that was set");
  check(dg_host_to_epoch_ms(0, 0) == 0 && dg_host_to_epoch_ms(-1, 0) == 0, "a clock that was not set");
  check(dg_host_to_epoch_ms(1700000000, 999999999) == 0, "a clock that starts at a later day");
}

static void test_base64(void) {
  uint8_t bytes[4];
  check(dg_base64_decode("TWFu", 4, bytes, 4) == 3 && memcmp(bytes, "Man", 3) == 0, "base64");
  check(dg_base64_decode("TQ==", 4, bytes, 4) == 1 && dg_base64_decode("", 0, bytes, 4) == 0, "padding");
  check(dg_base64_decode("TWF", 3, bytes, 4) == -1 && dg_base64_decode("T=Fu", 4, bytes, 4) == -1, "not base64");
  check(dg_base64_decode("TWFuTWFu", 8, bytes, 4) == -1, "too long");
}

/* Every byte of a state that is damaged or missing is refused or gives another valid state, and nothing is read
 * beyond the end. */
static void test_damaged_states(void) {
  static dg_update_state state, other;
  static uint8_t bytes[DG_STATE_BYTES], copy[DG_STATE_BYTES];
  dg_initial_state(&state, "1.2.3");
  state.phase = DG_ROLLING_BACK;
  strcpy(state.offer.version, "1.3.0");
  strcpy(state.message, "A message.");
  state.report_count = DG_MAX_REPORTS;
  for (int i = 0; i < DG_MAX_REPORTS; i++) memset(state.reports[i].message, 'm', DG_MESSAGE_BYTES - 1);
  state.trouble_count = DG_MAX_TROUBLES;
  size_t length = dg_write_state(&state, bytes, sizeof bytes);
  check(length > 0 && dg_read_state(&other, bytes, length) && memcmp(&state, &other, sizeof state) == 0, "a full state");
  for (size_t cut = 0; cut < length; cut++) check(!dg_read_state(&other, bytes, cut), "a state that ends early");
  for (size_t at = 0; at < length; at++) {
    memcpy(copy, bytes, length);
    copy[at] ^= 0xff;
    dg_read_state(&other, copy, length);
  }
}

static void test_origins(void) {
  static const char base[] = "https://gateway.example.com/iot";
  check(dg_is_own_origin(base, "https://gateway.example.com/iot/api/v1/ota/firmware/1"), "the own origin");
  check(!dg_is_own_origin(base, "http://gateway.example.com/iot/"), "another scheme");
  check(!dg_is_own_origin(base, "https://gateway.example.com.evil.example/"), "a longer host");
  check(!dg_is_own_origin(base, "https://gateway.example.com@evil.example/"), "a user name");
  check(!dg_is_own_origin(base, "https://gateway.example.com:8443/"), "another port");
  check(!dg_is_own_origin(base, "https://gateway.example.com\\@evil.example/"), "a backslash");
  check(!dg_is_own_origin(base, ""), "no address");
}

/* An image that failed is held until a time, but a wrong clock does not hold it for years. */
static void test_holds(void) {
  static const int64_t now = INT64_C(1769904000000), day = INT64_C(86400000);
  dg_update_state state;
  dg_initial_state(&state, "1.0.0");
  state.trouble_count = 1;
  strcpy(state.troubles[0].sha256, "a");
  int64_t *retry_at = &state.troubles[0].retry_at_ms;
  *retry_at = now + day;
  check(dg_find_blocking_trouble(&state, "a", now) != NULL, "held for a day");
  check(dg_find_blocking_trouble(&state, "b", now) == NULL, "another image");
  check(dg_find_blocking_trouble(&state, "a", now - 1) == NULL, "not held for more than a day");
  check(dg_find_blocking_trouble(&state, "a", now + day) == NULL, "no longer held");
  *retry_at = 60000;
  check(dg_find_blocking_trouble(&state, "a", 0) == NULL, "not held without a clock");
  state.troubles[0].failures = 3;
  check(dg_find_blocking_trouble(&state, "a", 0) != NULL, "held without a clock after three failures");
  *retry_at = DG_NEVER;
  check(dg_find_blocking_trouble(&state, "a", 0) != NULL, "held for good");
}

/* Failed downloads of other images do not bring back an image that was rolled back. */
static void test_full_troubles(void) {
  static dg_machine machine;
  dg_update_state *state = &machine.state;
  dg_initial_state(state, "1.0.0");
  state->trouble_count = 1;
  strcpy(state->troubles[0].sha256, "a");
  state->troubles[0].retry_at_ms = DG_NEVER;
  for (int i = 0; i < 2 * DG_MAX_TROUBLES; i++) {
    snprintf(state->offer.sha256, sizeof state->offer.sha256, "other %d", i);
    dg_fail_update(&machine, 1, "network", "");
  }
  check(state->trouble_count == DG_MAX_TROUBLES, "a full list");
  check(dg_find_blocking_trouble(state, "a", 0) != NULL, "still held for good");
}

/* The reader makes a text that is too long empty. */
static void test_long_urls(void) {
  static dg_machine machine;
  const dg_facts facts = {.target_hardware = "esp32", .running = "1.0.0", .floor = "1.0.0", .capacity = 1000};
  dg_offer offer = {.version = "1.1.0", .target_hardware = "esp32", .released_at = "2026-01-31T12:00:00Z", .size = 9};
  memset(offer.sha256, 'a', 64);
  dg_update_event event = {.kind = DG_ON_OFFERED, .offer = &offer, .refusal = dg_assess_offer(&offer, &facts)};
  check(event.refusal != NULL && strcmp(event.refusal, "malformed_offer") == 0, "a URL that is too long");
  dg_initial_state(&machine.state, "1.0.0");
  dg_transition(&machine, &event, 1);
  check(machine.ended.kind == DG_REFUSED_OFFER && strstr(machine.ended.message, "DG_URL_BYTES") != NULL, "the advice");
  check(strcmp(machine.state.reports[0].message, machine.ended.message) == 0, "the advice in the report");
  strcpy(offer.download_url, "http://gateway/image");
  check(strcmp(dg_assess_offer(&offer, &facts), "unknown_key") == 0, "a URL that fits");
}

/* Judges a response with a header to a request for the bytes from `offset` on of an image of 100 bytes. */
static dg_verdict judge(int status, const char *name, const char *value, int64_t offset) {
  static dg_offer offer;
  dg_head head;
  dg_verdict verdict;
  offer.size = 100;
  dg_copy(offer.sha256, sizeof offer.sha256, "abcd");
  dg_start_head(&head, status);
  dg_read_header(&head, name, value, 0);
  dg_judge_head(&head, &offer, offset, &verdict);
  return verdict;
}

static bool is_refused(dg_verdict verdict, const char *code) {
  return verdict.kind == DG_ON_DOWNLOAD_REFUSED && strcmp(verdict.code, code) == 0;
}

static void test_heads(void) {
  check(judge(200, "Content-Length", "100", 40).kind == DG_ON_OPENED, "the whole image");
  check(judge(200, "Content-Length", "100", 40).offset == 0, "the whole image begins at 0");
  check(judge(206, "Content-Range", "bytes 40-99/100", 40).offset == 40, "the rest");
  check(is_refused(judge(206, "Content-Range", "bytes 30-99/100", 40), "wrong_range"), "another range");
  check(is_refused(judge(206, "Content-Range", "bytes 0-99/100", 0), "wrong_range"), "a range that nobody asked for");
  check(is_refused(judge(200, "CONTENT-LENGTH", "99", 0), "wrong_length"), "another length");
  check(is_refused(judge(200, "Content-Length", "100x", 0), "wrong_length"), "a length that is no number");
  check(is_refused(judge(200, "Content-Encoding", "gzip", 0), "encoded"), "an encoded image");
  check(is_refused(judge(200, "X-Firmware-SHA256", "abce", 0), "hash_mismatch"), "another image");
  check(judge(200, "X-Firmware-SHA256", "ABCD", 0).kind == DG_ON_OPENED, "the hash in upper case");
  check(judge(416, "", "", 40).is_whole, "a range beyond the image");
  check(judge(404, "", "", 0).kind == DG_ON_GONE && judge(410, "", "", 0).kind == DG_ON_GONE, "gone");
  check(judge(503, "", "", 0).kind == DG_ON_UNAVAILABLE, "unavailable");
  check(is_refused(judge(302, "Location", "https://evil.example", 0), "unexpected_answer"), "a redirect");
  dg_head head;
  dg_start_head(&head, 200);
  dg_read_header(&head, "ETag", "W/\"a\"", 0);
  check(head.etag[0] == 0, "a weak ETag proves nothing");
}

int main(void) {
  test_syntax();
  test_depth();
  test_fields();
  test_writer();
  test_times();
  test_host_clock();
  test_base64();
  test_damaged_states();
  test_origins();
  test_holds();
  test_full_troubles();
  test_long_urls();
  test_heads();
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
