#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "dg_host.h"

#define PATH_BYTES 512

static bool path_of(char path[PATH_BYTES], const char *folder, const char *name, const char *end) {
  int length = snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, end);
  return length > 0 && length < PATH_BYTES;
}

static bool write_all(int file, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

/* Makes a rename in the folder durable. */
static bool sync_folder(const char *folder) {
  int file = open(folder, O_RDONLY);
  if (file < 0) return false;
  bool is_synced = fsync(file) == 0;
  return close(file) == 0 && is_synced;
}

bool dg_host_replace_file(const char *folder, const char *name, const void *bytes, size_t length) {
  char path[PATH_BYTES], fresh[PATH_BYTES];
  if (!path_of(path, folder, name, "") || !path_of(fresh, folder, name, ".new")) return false;
  int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return false;
  bool is_written = write_all(file, bytes, length) && fsync(file) == 0;
  is_written = close(file) == 0 && is_written;
  return is_written && rename(fresh, path) == 0 && sync_folder(folder);
}

static bool save(void *context, const char *key, const void *bytes, size_t length) {
  const dg_host_storage *host = context;
  return dg_host_replace_file(host->folder, key, bytes, length);
}

static int32_t load(void *context, const char *key, void *bytes, size_t size) {
  const dg_host_storage *host = context;
  char path[PATH_BYTES];
  size_t length = 0;
  if (!path_of(path, host->folder, key, "")) return DG_FAILED;
  int file = open(path, O_RDONLY);
  if (file < 0) return errno == ENOENT ? DG_ABSENT : DG_FAILED;
  for (;;) {
    char more;
    ssize_t got = length < size ? read(file, (char *)bytes + length, size - length) : read(file, &more, 1);
    if (got < 0 && errno == EINTR) continue;
    bool is_too_long = got > 0 && length == size;
    if (got > 0 && !is_too_long) {
      length += (size_t)got;
      continue;
    }
    close(file);
    if (got < 0) return DG_FAILED;
    return is_too_long ? DG_ABSENT : (int32_t)length;
  }
}

void dg_host_storage_open(dg_host_storage *host, const char *folder, dg_storage_port *port) {
  host->folder = folder;
  *port = (dg_storage_port){host, load, save};
}
