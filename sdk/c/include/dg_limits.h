/*
 * Sizes of the client's buffers, in bytes unless stated otherwise. Define a macro before the build to change it. An
 * update may raise them. If an image has lower values than the image before it, stored data can be unreadable: records,
 * the last command and the state of an update.
 */
#ifndef DG_LIMITS_H
#define DG_LIMITS_H

/* Longest telemetry record and longest other request body. The server accepts records of up to 256 KB. */
#ifndef DG_RECORD_BYTES
#define DG_RECORD_BYTES 2048
#endif

/* Longest URL, the download URL of an offer included: an offer with a longer one is refused. Signed URLs of object
 * stores often need 1024. */
#ifndef DG_URL_BYTES
#define DG_URL_BYTES 256
#endif

/* Longest device token. */
#ifndef DG_TOKEN_BYTES
#define DG_TOKEN_BYTES 1024
#endif

/* Longest message of an error or of an update report. */
#ifndef DG_MESSAGE_BYTES
#define DG_MESSAGE_BYTES 128
#endif

/* Longest target hardware, as UTF-8. */
#ifndef DG_TARGET_BYTES
#define DG_TARGET_BYTES 129
#endif

/* Number of update reports that may wait for the server. At most 32. A usual update makes 9. */
#ifndef DG_MAX_REPORTS
#define DG_MAX_REPORTS 16
#endif

/* Number of images that failed on this device and are remembered. */
#define DG_MAX_TROUBLES 8

#define DG_VERSION_BYTES 30
#define DG_SECRET_BYTES 128
#define DG_ID_BYTES 129
#define DG_ETAG_BYTES 96
#define DG_CODE_BYTES 32
#define DG_SHA256_HEX_BYTES 65
#define DG_IDEMPOTENCY_KEY_BYTES 33

#endif
