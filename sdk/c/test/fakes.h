/* A client with a scripted server, and with storage, clock and firmware in memory. */
#ifndef FAKES_H
#define FAKES_H

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "internal.h"
#include "update_internal.h"

/* A planned response. `breaks`: the connection ends after the body, before the whole response has arrived. */
typedef struct fake_answer {
  int status;
  const char *name, *value;
  const char *body;
  bool breaks;
} fake_answer;

typedef struct fake_value {
  char key[16];
  uint8_t bytes[8192];
  size_t length;
} fake_value;

static struct {
  fake_answer answers[8];
  size_t answer_count, requests;
  /* Chooses the response instead of `answers`. */
  fake_answer (*respond)(const char *body);
  char url[512], body[65536];
  uint32_t total_seconds;
  fake_value values[128];
  size_t value_count;
  bool fails_loads;
  int64_t now;
  /* What the firmware port was asked for. */
  const char *self_test;
  bool fails_confirm;
  int self_tests, confirms;
} fake;

static bool fake_exchange(void *context, const dg_http_request *request, const dg_http_sink *sink) {
  size_t length = 0;
  (void)context;
  dg_copy(fake.url, sizeof fake.url, request->url);
  fake.total_seconds = request->total_seconds;
  while (length < request->content_length) {
    size_t more = request->read_body(request->body_context, fake.body + length, sizeof fake.body - 1 - length);
    if (more == 0) return false;
    length += more;
  }
  fake.body[length] = 0;
  fake_answer answer = {0};
  if (fake.respond != NULL) answer = fake.respond(fake.body);
  else if (fake.requests < fake.answer_count) answer = fake.answers[fake.requests];
  fake.requests++;
  if (answer.status == 0) return false;
  sink->on_status(sink->context, answer.status);
  if (answer.name != NULL) sink->on_header(sink->context, answer.name, answer.value);
  if (answer.body != NULL && !sink->on_body(sink->context, answer.body, strlen(answer.body))) return false;
  return !answer.breaks;
}

static fake_value *find_value(const char *key) {
  for (size_t i = 0; i < fake.value_count; i++)
    if (strcmp(fake.values[i].key, key) == 0) return &fake.values[i];
  return NULL;
}

static int32_t fake_load(void *context, const char *key, void *bytes, size_t size) {
  const fake_value *value = find_value(key);
  (void)context;
  if (fake.fails_loads) return DG_FAILED;
  if (value == NULL || value->length > size) return DG_ABSENT;
  memcpy(bytes, value->bytes, value->length);
  return (int32_t)value->length;
}

static bool fake_save(void *context, const char *key, const void *bytes, size_t length) {
  fake_value *value = find_value(key);
  (void)context;
  if (value == NULL) value = &fake.values[fake.value_count++];
  dg_copy(value->key, sizeof value->key, key);
  memcpy(value->bytes, bytes, length);
  value->length = length;
  return true;
}

static int64_t fake_now(void *context) {
  (void)context;
  return fake.now;
}

static void fake_wait(void *context, uint32_t ms) {
  (void)context;
  (void)ms;
}

static bool fake_random(void *context, void *bytes, size_t length) {
  (void)context;
  memset(bytes, 7, length);
  return true;
}

/* The hash of these tests is always zero. */
static bool hash_begin(void *context) {
  (void)context;
  return true;
}
static bool hash_update(void *context, const void *bytes, size_t length) {
  (void)context;
  (void)bytes;
  (void)length;
  return true;
}
static bool hash_end(void *context, uint8_t digest[32]) {
  (void)context;
  memset(digest, 0, 32);
  return true;
}

static const dg_http_port http = {NULL, fake_exchange};
static const dg_storage_port storage = {NULL, fake_load, fake_save};
static const dg_clock_port fake_clock = {NULL, fake_now, fake_wait};
static const dg_crypto_port crypto = {NULL, fake_random, hash_begin, hash_update, hash_end, NULL, NULL};
static const dg_options options = {
    .base_url = "http://gateway",
    .identity = {.device_id = "gw-1", .hardware_id = "esp32", .firmware_version = "1.0.0"},
    .ports = {&http, &storage, &fake_clock, &crypto},
    .buffer_records = 64,
    .tries = 1,
};

static dg_client client;

static void restart(void) {
  dg_client_open(&client, &options);
  dg_copy(client.bearer, sizeof client.bearer, "Bearer t");
}

/* Starts a signed-in client without any stored data. */
static void start(void) {
  memset(&fake, 0, sizeof fake);
  fake.now = INT64_C(1769904000000);
  restart();
}

static void plan(fake_answer answer) { fake.answers[fake.answer_count++] = answer; }

static int finish_tests(void) {
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}

#endif
