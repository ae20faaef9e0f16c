/* One request with a JSON response. */
#include <string.h>

#include "internal.h"

/* Longest response. A batch whose 500 records are all rejected has about 72,000 bytes. */
#define MAX_ANSWER_BYTES 131072
#define ANSWER_SECONDS 30
/* Time for a whole exchange. The body of a request has one more second for each of these bytes. */
#define TOTAL_SECONDS 120
#define BODY_BYTES_PER_SECOND 1024

static const struct {
  const char *code;
  int status;
} problems[] = {
    {"", 0},
#define ENTRY(name, code, status) {code, status},
    DG_PROBLEMS(ENTRY)
#undef ENTRY
};

const char *dg_problem_code(dg_problem problem) { return problems[problem].code; }

static dg_problem find_problem(const char *code, int status) {
  for (size_t i = 1; i < sizeof problems / sizeof *problems; i++)
    if (problems[i].status == status && strcmp(problems[i].code, code) == 0) return (dg_problem)i;
  return DG_PROBLEM_NONE;
}

dg_status dg_fail(dg_client *client, dg_status status, const char *message) {
  memset(&client->error, 0, sizeof client->error);
  client->error.status = status;
  client->error.retry_after_seconds = -1;
  dg_copy(client->error.message, sizeof client->error.message, message);
  return status;
}

dg_status dg_fail_unexpected(dg_client *client) {
  dg_fail(client, DG_UNEXPECTED_ANSWER, "The response is not from the API. Check the address.");
  client->error.http_status = 200;
  return DG_UNEXPECTED_ANSWER;
}

bool dg_same_header(const char *name, const char *lower_case) {
  for (; *name != 0 && *lower_case != 0; name++, lower_case++)
    if ((*name >= 'A' && *name <= 'Z' ? *name + ('a' - 'A') : *name) != *lower_case) return false;
  return *name == *lower_case;
}

/* The response while it arrives. */
typedef struct answer {
  const dg_call *call;
  dg_client *client;
  int status;
  int32_t retry_after_seconds;
  size_t length;
  dg_json_reader json;
  bool is_json;
  char code[DG_CODE_BYTES];
  char detail[DG_MESSAGE_BYTES];
  /* Only its presence counts, so it is cut to an empty text. */
  char request_id[1];
  dg_json_field problem[3];
} answer;

static bool is_success(int status) { return status >= 200 && status < 300; }

static void clear(const dg_json_field *field) {
  switch (field->type) {
    case DG_JSON_INTEGER:
    case DG_JSON_COUNT: *(int64_t *)field->value = 0; break;
    case DG_JSON_BOOL: *(bool *)field->value = false; break;
    default: *(char *)field->value = 0;
  }
}

static void on_status(void *context, int status) {
  answer *it = context;
  const dg_call *call = it->call;
  it->status = status;
  it->retry_after_seconds = -1;
  it->length = 0;
  it->is_json = true;
  if (!is_success(status)) {
    dg_json_begin(&it->json, it->problem, sizeof it->problem / sizeof *it->problem);
    return;
  }
  /* A response that broke off may have left values. */
  for (size_t i = 0; i + call->own_count < call->field_count; i++) clear(&call->fields[i]);
  dg_json_begin(&it->json, call->fields, call->field_count);
}

static void on_header(void *context, const char *name, const char *value) {
  answer *it = context;
  if (dg_same_header(name, "retry-after"))
    it->retry_after_seconds = dg_parse_retry_after(value, dg_now(it->client));
}

static bool on_body(void *context, const void *bytes, size_t length) {
  answer *it = context;
  it->length += length;
  if (it->length > MAX_ANSWER_BYTES) return false;
  /* The rest of a body that is not JSON is read too, so that the connection can be used again. */
  it->is_json = it->is_json && dg_json_feed(&it->json, bytes, length);
  return true;
}

static size_t read_text(void *context, void *bytes, size_t size) {
  const char **rest = context;
  size_t length = strlen(*rest);
  if (length > size) length = size;
  memcpy(bytes, *rest, length);
  *rest += length;
  return length;
}

/* A text body has two pointers: what is left of it, and its start. */
static void rewind_text(void *context) {
  const char **texts = context;
  texts[0] = texts[1];
}

static dg_status judge(dg_client *client, answer *it) {
  bool is_whole = it->is_json && dg_json_end(&it->json);
  dg_problem problem = DG_PROBLEM_NONE;
  if (is_success(it->status) && is_whole) return DG_OK;
  if (it->status == 304 && it->call->accepts_304 && it->length == 0) return DG_OK;
  /* Each error of the API has a requestId (§0), also one whose code only a later version has. */
  bool is_problem = it->status >= 400 && is_whole && it->code[0] != 0;
  if (is_problem) problem = find_problem(it->code, it->status);
  if (is_problem) {
    dg_fail(client, DG_REFUSED, it->detail);
  } else {
    dg_fail(client, DG_UNEXPECTED_ANSWER, "");
    dg_text message = dg_text_in(client->error.message, sizeof client->error.message);
    dg_text_add(&message, "HTTP ");
    dg_text_add_number(&message, it->status);
    dg_text_add(&message, " with a body that is not from the API. Check the address.");
  }
  client->error.problem = problem;
  client->error.http_status = it->status;
  client->error.retry_after_seconds = it->retry_after_seconds;
  return client->error.status;
}

dg_status dg_exchange(dg_client *client, const dg_call *call, bool *has_begun) {
  const dg_http_port *http = client->options.ports.http;
  const char *texts[2] = {call->text, call->text};
  char url[DG_URL_BYTES];
  dg_http_header headers[4];
  answer it = {.call = call, .client = client, .retry_after_seconds = -1};
  const dg_http_sink sink = {on_status, on_header, on_body, &it};
  dg_http_request request = {.method = call->method, .url = url, .headers = headers};
  dg_text text = dg_text_in(url, sizeof url);

  it.problem[0] = (dg_json_field){"code", DG_JSON_TEXT, it.code, sizeof it.code, true};
  it.problem[1] = (dg_json_field){"detail", DG_JSON_TEXT_CUT, it.detail, sizeof it.detail, true};
  it.problem[2] = (dg_json_field){"requestId", DG_JSON_TEXT_CUT, it.request_id, sizeof it.request_id, true};
  *has_begun = false;
  dg_text_add(&text, client->options.base_url);
  dg_text_add(&text, DG_BASE_PATH);
  dg_text_add(&text, call->path);
  dg_text_add(&text, call->query == NULL ? "" : call->query);
  if (text.overflow) return dg_fail(client, DG_TOO_LARGE, "The URL is too long. Raise DG_URL_BYTES.");
  for (size_t i = 0; i < call->header_count; i++) headers[request.header_count++] = call->headers[i];
  if (!call->has_no_token)
    headers[request.header_count++] = (dg_http_header){"Authorization", client->bearer};
  request.answer_seconds = request.stall_seconds = ANSWER_SECONDS + call->wait_seconds;
  if (call->text != NULL) {
    request.content_length = strlen(call->text);
    request.read_body = read_text;
    request.rewind_body = rewind_text;
    request.body_context = texts;
  } else if (call->content_length > 0) {
    request.content_length = call->content_length;
    request.read_body = call->read_body;
    request.rewind_body = call->rewind_body;
    request.body_context = call->body_context;
    call->rewind_body(call->body_context);
  }
  request.total_seconds =
      TOTAL_SECONDS + call->wait_seconds + (uint32_t)(request.content_length / BODY_BYTES_PER_SECOND);
  if (request.content_length > 0)
    headers[request.header_count++] = (dg_http_header){"Content-Type", "application/json"};
  bool is_whole = http->exchange(http->context, &request, &sink);
  *has_begun = is_success(it.status);
  if (is_whole) return judge(client, &it);
  dg_fail(client, it.length > MAX_ANSWER_BYTES ? DG_UNEXPECTED_ANSWER : DG_NETWORK,
          it.length > MAX_ANSWER_BYTES ? "The response is too long. Check the address."
                                       : "No response. Check the network and the address.");
  /* Status and Retry-After of an error count although its body is lost. */
  if (it.status >= 400) client->error.http_status = it.status;
  if (it.status >= 400) client->error.retry_after_seconds = it.retry_after_seconds;
  return client->error.status;
}
