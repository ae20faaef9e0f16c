#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dg_host.h"

#define BOOT_FILE "boot"
#define CAPACITY 1048576

/* What the bootloader knows: the slot of the next start, and whether its image is confirmed. */
typedef struct boot_record {
  char slot; /* 'a' or 'b' */
  char trial; /* 'n': confirmed. 'y': new. 'r': it runs on trial. */
} boot_record;

static bool read_boot(const char *folder, boot_record *boot) {
  char path[512];
  *boot = (boot_record){'a', 'n'};
  snprintf(path, sizeof path, "%s/" BOOT_FILE, folder);
  int file = open(path, O_RDONLY);
  if (file < 0) return errno == ENOENT;
  bool is_read = read(file, boot, sizeof *boot) == (ssize_t)sizeof *boot;
  return close(file) == 0 && is_read;
}

static bool write_boot(const char *folder, char slot, char trial) {
  const boot_record boot = {slot, trial};
  return dg_host_replace_file(folder, BOOT_FILE, &boot, sizeof boot);
}

static char other(char slot) { return slot == 'a' ? 'b' : 'a'; }

static int open_slot(const char *folder, char slot, int flags) {
  char path[512];
  snprintf(path, sizeof path, "%s/slot-%c", folder, slot);
  return open(path, flags, 0600);
}

/* Returns the slot that is not running. A new image that was selected has not run yet. */
static char spare_of(const boot_record *boot) { return boot->trial == 'y' ? boot->slot : other(boot->slot); }

static int open_spare(const dg_host_firmware *host, int flags) {
  boot_record boot;
  return read_boot(host->folder, &boot) ? open_slot(host->folder, spare_of(&boot), flags) : -1;
}

static bool begin(void *context, uint32_t size) {
  int file = open_spare(context, O_WRONLY | O_CREAT | O_TRUNC);
  (void)size;
  return file >= 0 && close(file) == 0;
}

static bool write_slot(void *context, uint32_t offset, const void *bytes, size_t length) {
  int file = open_spare(context, O_WRONLY | O_CREAT);
  if (file < 0) return false;
  bool is_written = pwrite(file, bytes, length, (off_t)offset) == (ssize_t)length && fdatasync(file) == 0;
  return close(file) == 0 && is_written;
}

static bool read_slot(void *context, uint32_t offset, void *bytes, size_t length) {
  int file = open_spare(context, O_RDONLY);
  if (file < 0) return false;
  bool is_read = pread(file, bytes, length, (off_t)offset) == (ssize_t)length;
  return close(file) == 0 && is_read;
}

static bool install(void *context) {
  const dg_host_firmware *host = context;
  boot_record boot;
  return read_boot(host->folder, &boot) && write_boot(host->folder, spare_of(&boot), 'y');
}

static void reboot(void *context) { ((dg_host_firmware *)context)->must_restart = true; }

static bool confirm(void *context) {
  const dg_host_firmware *host = context;
  boot_record boot;
  return read_boot(host->folder, &boot) && write_boot(host->folder, boot.slot, 'n');
}

static void roll_back(void *context) {
  dg_host_firmware *host = context;
  boot_record boot;
  if (read_boot(host->folder, &boot)) write_boot(host->folder, other(boot.slot), 'n');
  host->must_restart = true;
}

static const char *self_test(void *context) {
  return ((dg_host_firmware *)context)->fails_self_test ? "The sensor does not answer." : NULL;
}

/* Reads the version and behaviour of an image. */
static bool read_image(dg_host_firmware *host, char slot) {
  char head[64] = "";
  char behaviour[24] = "";
  int file = open_slot(host->folder, slot, O_RDONLY);
  if (file < 0) return false;
  bool is_read = read(file, head, sizeof head - 1) > 0;
  is_read = close(file) == 0 && is_read && sscanf(head, "IMAGE %29s %23s", host->running, behaviour) == 2;
  host->fails_self_test = strcmp(behaviour, "fails_self_test") == 0;
  return is_read;
}

bool dg_host_firmware_boot(dg_host_firmware *host, const char *folder, const char *first_version,
                           dg_firmware_port *port) {
  boot_record boot;
  memset(host, 0, sizeof *host);
  host->folder = folder;
  *port = (dg_firmware_port){host,   CAPACITY, begin,     write_slot, read_slot,
                             install, reboot,   confirm,   roll_back,  self_test};
  if (!read_boot(folder, &boot)) return false;
  /* Rolls back an image that was not confirmed before the restart, or that cannot run. */
  if (boot.trial == 'r' || (boot.trial == 'y' && !read_image(host, boot.slot))) {
    boot = (boot_record){other(boot.slot), 'n'};
    if (!write_boot(folder, boot.slot, boot.trial)) return false;
  } else if (boot.trial == 'y') {
    if (!write_boot(folder, boot.slot, 'r')) return false;
  }
  if (read_image(host, boot.slot)) return true;
  snprintf(host->running, sizeof host->running, "%s", first_version);
  return boot.slot == 'a';
}
