#include "download_head.h"

#include <string.h>

#include "internal.h"

void dg_start_head(dg_head *head, int status) {
  memset(head, 0, sizeof *head);
  head->status = status;
  head->length = -1;
  head->retry_after_seconds = -1;
}

static int64_t parse_length(const char *text) {
  int64_t length = 0;
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 15 || text[digits] != 0) return -2;
  for (; *text != 0; text++) length = length * 10 + (*text - '0');
  return length;
}

void dg_read_header(dg_head *head, const char *name, const char *value, int64_t now_ms) {
  if (dg_same_header(name, "content-length")) head->length = parse_length(value);
  if (dg_same_header(name, "content-encoding")) head->is_encoded = !dg_same_header(value, "identity");
  if (dg_same_header(name, "content-range")) dg_copy(head->range, sizeof head->range, value);
  if (dg_same_header(name, "x-firmware-sha256")) dg_copy(head->sha256, sizeof head->sha256, value);
  if (dg_same_header(name, "retry-after")) head->retry_after_seconds = dg_parse_retry_after(value, now_ms);
  /* Only a strong validator proves that the rest belongs to the same image (RFC 9110, section 13.1.5). */
  if (dg_same_header(name, "etag") && value[0] == '"' && strlen(value) < sizeof head->etag)
    dg_copy(head->etag, sizeof head->etag, value);
}

static void say(dg_verdict *verdict, const char *before, int64_t number, const char *after) {
  dg_text text = dg_text_in(verdict->message, sizeof verdict->message);
  dg_text_add(&text, before);
  dg_text_add_number(&text, number);
  dg_text_add(&text, after);
}

static void refuse(dg_verdict *verdict, const char *code, const char *message) {
  verdict->kind = DG_ON_DOWNLOAD_REFUSED;
  verdict->code = code;
  dg_copy(verdict->message, sizeof verdict->message, message);
}

static void judge_body(const dg_head *head, const dg_offer *offer, int64_t offset, dg_verdict *verdict) {
  verdict->offset = offset;
  if (head->is_encoded) {
    refuse(verdict, "encoded", "The image has a Content-Encoding. It must have none.");
  } else if (head->sha256[0] != 0 && !dg_same_header(head->sha256, offer->sha256)) {
    refuse(verdict, "hash_mismatch", "X-Firmware-SHA256 is not that of the offer.");
  } else if (head->length != -1 && head->length != offer->size - offset) {
    refuse(verdict, "wrong_length", "");
    say(verdict, "Content-Length is not ", offer->size - offset, ".");
  } else {
    verdict->kind = DG_ON_OPENED;
  }
}

static void judge_part(const dg_head *head, const dg_offer *offer, int64_t offset, dg_verdict *verdict) {
  char expected[64];
  dg_text text = dg_text_in(expected, sizeof expected);
  dg_text_add(&text, "bytes ");
  dg_text_add_number(&text, offset);
  dg_text_add(&text, "-");
  dg_text_add_number(&text, offer->size - 1);
  dg_text_add(&text, "/");
  dg_text_add_number(&text, offer->size);
  if (offset == 0 || strcmp(head->range, expected) != 0) refuse(verdict, "wrong_range", "Content-Range is wrong.");
  else judge_body(head, offer, offset, verdict);
}

void dg_judge_head(const dg_head *head, const dg_offer *offer, int64_t offset, dg_verdict *verdict) {
  int status = head->status;
  memset(verdict, 0, sizeof *verdict);
  verdict->code = "";
  if (status == 200) {
    judge_body(head, offer, 0, verdict);
  } else if (status == 206) {
    judge_part(head, offer, offset, verdict);
  } else if (status == 416 && offset > 0) {
    verdict->kind = DG_ON_UNAVAILABLE;
    verdict->is_whole = true;
  } else if (status == 404 || status == 410) {
    verdict->kind = DG_ON_GONE;
    say(verdict, "The image no longer exists: HTTP ", status, ".");
  } else if (status == 401 || status == 408 || status == 429 || status >= 500) {
    verdict->kind = DG_ON_UNAVAILABLE;
    say(verdict, "The server responded to the download with HTTP ", status, ".");
  } else {
    refuse(verdict, "unexpected_answer", "");
    say(verdict, "The server responded to the download with HTTP ", status, ".");
  }
}

bool dg_is_own_origin(const char *base_url, const char *url) {
  const char *host = strstr(base_url, "://");
  if (host == NULL) return false;
  size_t length = (size_t)(host - base_url) + 3;
  length += strcspn(base_url + length, "/");
  return strncmp(base_url, url, length) == 0 && (url[length] == '/' || url[length] == 0);
}
