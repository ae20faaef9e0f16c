/* Downloads an image into the slot, from the stored offset on. */
#include <string.h>

#include "download_head.h"
#include "internal.h"

/* Progress is stored at this interval in bytes, so a power cut loses at most this much. */
#define CHECKPOINT_BYTES 65536
#define ANSWER_SECONDS 30
#define STALL_SECONDS 60

typedef struct download {
  dg_updater *updater;
  dg_head head;
  dg_verdict verdict;
  bool is_judged;
  int64_t requested;
  int64_t written;
  int64_t saved;
  bool has_flash_failed;
  /* Result of storing the state. */
  dg_status status;
} download;

bool dg_hash_slot(dg_updater *updater, int64_t bytes) {
  const dg_firmware_port *firmware = updater->options.firmware;
  const dg_crypto_port *crypto = updater->client->options.ports.crypto;
  uint8_t piece[512];
  bool is_good = crypto->sha256_begin(crypto->context);
  for (int64_t at = 0; at < bytes && is_good;) {
    size_t length = bytes - at < (int64_t)sizeof piece ? (size_t)(bytes - at) : sizeof piece;
    is_good = firmware->read(firmware->context, (uint32_t)at, piece, length) &&
              crypto->sha256_update(crypto->context, piece, length);
    at += (int64_t)length;
  }
  return is_good;
}

bool dg_end_hash(dg_updater *updater, char hex[DG_SHA256_HEX_BYTES]) {
  static const char digits[] = "0123456789abcdef";
  const dg_crypto_port *crypto = updater->client->options.ports.crypto;
  uint8_t digest[32];
  if (!crypto->sha256_end(crypto->context, digest)) return false;
  for (size_t i = 0; i < sizeof digest; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[64] = 0;
  return true;
}

static bool apply(download *it, const dg_update_event *event) {
  it->status = dg_update_apply(it->updater, event);
  return it->status == DG_OK && it->updater->machine.ended.kind == DG_RUNNING;
}

static bool apply_wrote(download *it) {
  const dg_update_event wrote = {.kind = DG_ON_WROTE, .offset = it->written};
  if (it->written == it->saved) return true;
  it->saved = it->written;
  return apply(it, &wrote);
}

/* Judges the head. If the download begins, prepares the slot and the hash. Returns false if it does not begin. */
static bool begin(download *it) {
  const dg_offer *offer = &it->updater->machine.state.offer;
  const dg_firmware_port *firmware = it->updater->options.firmware;
  dg_judge_head(&it->head, offer, it->requested, &it->verdict);
  it->is_judged = true;
  it->written = it->saved = it->verdict.offset;
  if (it->verdict.kind != DG_ON_OPENED) return false;
  const dg_update_event opened = {.kind = DG_ON_OPENED, .offset = it->verdict.offset, .etag = it->head.etag};
  if (!apply(it, &opened)) return false;
  bool is_ready = it->written > 0 || firmware->begin(firmware->context, (uint32_t)offer->size);
  it->has_flash_failed = !is_ready || !dg_hash_slot(it->updater, it->written);
  return !it->has_flash_failed;
}

static void on_status(void *context, int status) { dg_start_head(&((download *)context)->head, status); }

static void on_header(void *context, const char *name, const char *value) {
  download *it = context;
  dg_read_header(&it->head, name, value, dg_now(it->updater->client));
}

static bool on_body(void *context, const void *bytes, size_t length) {
  download *it = context;
  const dg_firmware_port *firmware = it->updater->options.firmware;
  const dg_crypto_port *crypto = it->updater->client->options.ports.crypto;
  int64_t size = it->updater->machine.state.offer.size;
  if (!it->is_judged && !begin(it)) return false;
  int64_t left = size - it->written;
  size_t taken = (int64_t)length < left ? length : (size_t)left;
  it->has_flash_failed = !firmware->write(firmware->context, (uint32_t)it->written, bytes, taken) ||
                         !crypto->sha256_update(crypto->context, bytes, taken);
  if (it->has_flash_failed) return false;
  it->written += (int64_t)taken;
  bool is_complete = it->written == size;
  if ((is_complete || it->written - it->saved >= CHECKPOINT_BYTES) && !apply_wrote(it)) return false;
  /* Never reads more than the image. */
  return !is_complete || (it->head.length >= 0 && taken == length);
}

/* Requests the image from an offset on. Returns false if no whole head of a response arrived. */
static bool request(download *it, int64_t offset) {
  dg_client *client = it->updater->client;
  const dg_update_state *state = &it->updater->machine.state;
  const dg_http_port *http = client->options.ports.http;
  const dg_http_sink sink = {on_status, on_header, on_body, it};
  char url[DG_URL_BYTES], etag[DG_ETAG_BYTES], range[40];
  dg_http_header headers[4] = {{"Accept-Encoding", "identity"}};
  size_t count = 1;
  dg_text text = dg_text_in(range, sizeof range);
  dg_text_add(&text, "bytes=");
  dg_text_add_number(&text, offset);
  dg_text_add(&text, "-");
  /* Copies, because the state changes while the request is in progress. */
  dg_copy(url, sizeof url, state->offer.download_url);
  dg_copy(etag, sizeof etag, state->etag);
  if (offset > 0) {
    headers[count++] = (dg_http_header){"Range", range};
    headers[count++] = (dg_http_header){"If-Range", etag};
  }
  if (dg_is_own_origin(client->options.base_url, url) && client->bearer[0] != 0)
    headers[count++] = (dg_http_header){"Authorization", client->bearer};
  const dg_http_request request = {.method = DG_DOWNLOAD_FIRMWARE_METHOD,
                                   .url = url,
                                   .headers = headers,
                                   .header_count = count,
                                   .answer_seconds = ANSWER_SECONDS,
                                   .stall_seconds = STALL_SECONDS};
  dg_start_head(&it->head, 0);
  it->is_judged = false;
  it->requested = offset;
  bool is_whole = http->exchange(http->context, &request, &sink);
  /* A connection that broke before the body may have lost a part of the head. */
  if (it->head.status == 0 || (!it->is_judged && !is_whole)) return false;
  if (!it->is_judged) begin(it);
  return true;
}

/* Requests the image. After a 401 it renews the token once; after a 416 it requests the whole image. */
static bool open(download *it) {
  const dg_update_state *state = &it->updater->machine.state;
  dg_client *client = it->updater->client;
  /* Without a strong validator, the rest could belong to another image (RFC 9110, section 13.1.5). */
  int64_t offset = state->etag[0] == 0 ? 0 : state->offset;
  if (!request(it, offset)) return false;
  bool is_own = dg_is_own_origin(client->options.base_url, state->offer.download_url);
  if (it->head.status == 401 && is_own && (dg_connect(client) != DG_OK || !request(it, offset))) return false;
  return !it->verdict.is_whole || request(it, 0);
}

static void wait_before(const dg_updater *updater) {
  const dg_ports *ports = &updater->client->options.ports;
  int64_t failures = updater->machine.state.failures;
  uint32_t random = 0;
  if (failures == 0) return;
  /* 1 s, 2 s, 4 s and so on, each shortened randomly by up to a half. */
  uint32_t bound = 500u << (failures < 10 ? failures : 10);
  if (!ports->crypto->random(ports->crypto->context, &random, sizeof random)) random = 0;
  ports->clock->wait_ms(ports->clock->context, bound - (uint32_t)((uint64_t)bound / 2 * random >> 32));
}

/* Applies the event that ends a download. */
static dg_status finish(download *it) {
  const dg_update_state *state = &it->updater->machine.state;
  char sha256[DG_SHA256_HEX_BYTES];
  if (it->status != DG_OK || it->updater->machine.ended.kind != DG_RUNNING) return it->status;
  dg_update_event event = {.kind = it->verdict.kind,
                           .code = it->verdict.code,
                           .message = it->verdict.message,
                           .retry_after_seconds = it->head.retry_after_seconds};
  if (it->has_flash_failed) {
    event.kind = DG_ON_FLASH_FAILED;
    event.message = "The slot for the image failed.";
  } else if (event.kind == DG_ON_OPENED && it->written < state->offer.size) {
    if (!apply_wrote(it)) return it->status;
    event.kind = DG_ON_INTERRUPTED;
    event.message = "The connection ended before the image was complete.";
  } else if (event.kind == DG_ON_OPENED) {
    event.kind = dg_end_hash(it->updater, sha256) ? DG_ON_RECEIVED : DG_ON_FLASH_FAILED;
    event.message = "The image could not be hashed.";
    event.sha256 = sha256;
  }
  return dg_update_apply(it->updater, &event);
}

dg_status dg_download(dg_updater *updater) {
  const dg_update_state *state = &updater->machine.state;
  download it = {.updater = updater, .status = DG_OK, .verdict = {.kind = DG_ON_OPENED, .code = ""}};
  if (state->offset == state->offer.size) {
    it.written = it.saved = state->offset;
    it.has_flash_failed = !dg_hash_slot(updater, state->offset);
    return finish(&it);
  }
  wait_before(updater);
  if (!open(&it)) {
    const dg_update_event unavailable = {
        .kind = DG_ON_UNAVAILABLE, .message = "No response to the download.", .retry_after_seconds = -1};
    return dg_update_apply(updater, &unavailable);
  }
  return finish(&it);
}
