#ifndef DG_DOWNLOAD_HEAD_H
#define DG_DOWNLOAD_HEAD_H

#include "update_internal.h"

/* The status and headers of a response to a download. */
typedef struct dg_head {
  int status;
  bool is_encoded;
  /* -1 if absent. */
  int64_t length;
  int32_t retry_after_seconds;
  /* "" if absent. */
  char etag[DG_ETAG_BYTES];
  char range[64];
  char sha256[DG_SHA256_HEX_BYTES + 1];
} dg_head;

void dg_start_head(dg_head *head, int status);
void dg_read_header(dg_head *head, const char *name, const char *value, int64_t now_ms);

/* What follows from the head of a response to a request for the bytes from `offset` on. */
typedef struct dg_verdict {
  /* DG_ON_OPENED, DG_ON_GONE, DG_ON_DOWNLOAD_REFUSED or DG_ON_UNAVAILABLE. */
  dg_update_event_kind kind;
  /* The server cannot send the rest. Request the whole image. */
  bool is_whole;
  int64_t offset;
  const char *code;
  char message[DG_MESSAGE_BYTES];
} dg_verdict;

/* Checks the response to a download (RFC 9110, section 14). */
void dg_judge_head(const dg_head *head, const dg_offer *offer, int64_t offset, dg_verdict *verdict);

/* Returns whether a URL has the origin of the gateway, so that it may get the token. */
bool dg_is_own_origin(const char *base_url, const char *url);

#endif
