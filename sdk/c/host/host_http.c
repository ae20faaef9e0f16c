#include <curl/curl.h>
#include <string.h>

#include "dg_host.h"

#define MAX_HEADER_BYTES 1400

/* The body of a request, and how much of it curl has got. */
typedef struct sent_body {
  const dg_http_request *request;
  size_t length;
} sent_body;

/* Ends the request if the storage fails. Otherwise the server would wait for the rest of the body. */
static size_t read_body(char *bytes, size_t size, size_t count, void *context) {
  sent_body *body = context;
  const dg_http_request *request = body->request;
  size_t length = request->read_body(request->body_context, bytes, size * count);
  body->length += length;
  return length == 0 && body->length < request->content_length ? CURL_READFUNC_ABORT : length;
}

/* curl sends a body again if a kept connection turns out to be closed. */
static int seek_body(void *context, curl_off_t offset, int origin) {
  sent_body *body = context;
  if (offset != 0 || origin != SEEK_SET) return CURL_SEEKFUNC_FAIL;
  body->request->rewind_body(body->request->body_context);
  body->length = 0;
  return CURL_SEEKFUNC_OK;
}

static size_t take_header(char *line, size_t size, size_t count, void *context) {
  const dg_http_sink *sink = context;
  char text[MAX_HEADER_BYTES];
  size_t length = size * count;
  if (length >= sizeof text) return length;
  memcpy(text, line, length);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' ')) length--;
  text[length] = 0;
  if (strncmp(text, "HTTP/", 5) == 0) {
    const char *status = strchr(text, ' ');
    int code = 0;
    for (int i = 1; status != NULL && i <= 3 && status[i] >= '0' && status[i] <= '9'; i++)
      code = code * 10 + (status[i] - '0');
    sink->on_status(sink->context, code);
    return size * count;
  }
  char *value = strchr(text, ':');
  if (value == NULL) return size * count;
  *value++ = 0;
  sink->on_header(sink->context, text, value + strspn(value, " \t"));
  return size * count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  const dg_http_sink *sink = context;
  return sink->on_body(sink->context, bytes, size * count) ? size * count : 0;
}

/* Returns the headers for curl, or NULL. "Expect:" stops curl from waiting for a 100 before a large body. */
static struct curl_slist *to_list(const dg_http_request *request) {
  struct curl_slist *list = curl_slist_append(NULL, "Expect:");
  for (size_t i = 0; i < request->header_count && list != NULL; i++) {
    char line[MAX_HEADER_BYTES];
    const dg_http_header *header = &request->headers[i];
    if (strlen(header->name) + strlen(header->value) + 3 > sizeof line) {
      curl_slist_free_all(list);
      return NULL;
    }
    strcpy(line, header->name);
    strcat(line, ": ");
    strcat(line, header->value);
    struct curl_slist *longer = curl_slist_append(list, line);
    if (longer == NULL) curl_slist_free_all(list);
    list = longer;
  }
  return list;
}

static bool exchange(void *context, const dg_http_request *request, const dg_http_sink *sink) {
  const dg_host_http *host = context;
  CURL *curl = host->curl;
  sent_body body = {request, 0};
  struct curl_slist *headers = to_list(request);
  if (headers == NULL) return false;
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)request->answer_seconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)request->stall_seconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)request->total_seconds);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, sink);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
  if (host->ca_file != NULL) curl_easy_setopt(curl, CURLOPT_CAINFO, host->ca_file);
  if (request->read_body != NULL) {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->content_length);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_body);
    curl_easy_setopt(curl, CURLOPT_READDATA, &body);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_body);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, &body);
  }
  CURLcode result = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  return result == CURLE_OK;
}

bool dg_host_http_open(dg_host_http *host, dg_http_port *port) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  host->curl = curl_easy_init();
  *port = (dg_http_port){host, exchange};
  return host->curl != NULL;
}

void dg_host_http_close(dg_host_http *host) {
  curl_easy_cleanup(host->curl);
  curl_global_cleanup();
}
