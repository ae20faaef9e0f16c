/*
 * A library to preload into a process (LD_PRELOAD). It logs every operation of the process on the files of
 * one folder, in order, with the bytes written (read-disk-log.ts reads the log); or it ends the process by
 * SIGKILL instead of one of these operations. A lock makes each operation and its log line atomic across
 * threads.
 *
 * DISK_FOLDER  the folder, without a trailing slash
 * DISK_LOG     the log file; if unset, nothing is logged
 * DISK_KILL    "<kind> <end of the file's name> <n>": kills the process at the n-th such operation
 *
 * Kinds: C create, M make a folder, W write, T truncate, S sync a file, D sync a folder, R rename,
 * L link, U remove.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static size_t folder_length;
static int log_fd = -1;
static char kill_kind;
static char kill_name[256];
static long kill_in;

/* Files of the folder, by inode. Descriptors identify no file, because not every close is intercepted. */
static struct { ino_t inode; dev_t device; char *path; } files[MOST_FILES];
static int file_count;

#define REAL(result, name, ...) \
  static result (*real_##name)(__VA_ARGS__); \
  if (real_##name == NULL) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("DISK_FOLDER");
  if (where == NULL) return;
  snprintf(folder, sizeof folder, "%s/", where);
  folder_length = strlen(folder);
  const char *log = getenv("DISK_LOG");
  if (log != NULL) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char *end = getenv("DISK_KILL");
  if (end != NULL) sscanf(end, "%c %255s %ld", &kill_kind, kill_name, &kill_in);
}

static int is_ours(const char *path) {
  return folder_length > 0 && path != NULL &&
         (strncmp(path, folder, folder_length) == 0 ||
          (strlen(path) == folder_length - 1 && strncmp(path, folder, folder_length - 1) == 0));
}

static int find(ino_t inode, dev_t device) {
  for (int n = file_count - 1; n >= 0; n--)
    if (files[n].inode == inode && files[n].device == device) return n;
  return -1;
}

/* Returns an open file's index in the table, or -1 if the file is not in the folder. */
static int find_open(int fd, struct stat *facts) {
  if (folder_length == 0 || fd == log_fd || fstat(fd, facts) != 0) return -1;
  return find(facts->st_ino, facts->st_dev);
}

static void put(const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    long written = syscall(SYS_write, log_fd, at, length);
    if (written <= 0) { if (errno == EINTR) continue; abort(); }
    at += written;
    length -= (size_t)written;
  }
}

/* Logs a line "<kind> <inode> <offset or size> <length> <path>[TAB <other path>]". The bytes written follow. */
static void note(char kind, ino_t inode, long long offset, size_t length, const char *path, const char *other) {
  if (log_fd < 0) return;
  char line[9000];
  int size = snprintf(line, sizeof line, "%c %llu %lld %zu %s%s%s\n", kind, (unsigned long long)inode,
                      offset, length, path, other ? "\t" : "", other ? other : "");
  put(line, (size_t)size);
}

static void strike(char kind, const char *path) {
  if (kill_kind != kind || path == NULL) return;
  size_t length = strlen(path), wanted = strlen(kill_name);
  if (length < wanted || strcmp(path + length - wanted, kill_name) != 0) return;
  if (--kill_in == 0) kill(getpid(), SIGKILL);
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!is_ours(path)) return real(path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat facts;
  int is_new = (flags & O_CREAT) != 0 && stat(path, &facts) != 0;
  if (is_new) strike('C', path);
  int fd = real(path, flags, mode);
  int error = errno;
  if (fd >= 0 && fstat(fd, &facts) == 0) {
    int n = find(facts.st_ino, facts.st_dev);
    if (n < 0 && file_count < MOST_FILES) n = file_count++;
    if (n >= 0) {
      files[n].inode = facts.st_ino;
      files[n].device = facts.st_dev;
      files[n].path = strdup(path);
    }
    if (is_new) note('C', facts.st_ino, 0, 0, path, NULL);
    else if ((flags & O_TRUNC) != 0) note('T', facts.st_ino, 0, 0, path, NULL);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    REAL(int, name, const char *, int, ...); \
    return opened(real_##name, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

/* Any function that writes, at an offset or (-1) at the file's position. */
#define WRITE(call, fd, offset, bytes_of) \
  struct stat facts; \
  int n = find_open(fd, &facts); \
  if (n < 0) return call; \
  pthread_mutex_lock(&lock); \
  strike('W', files[n].path); \
  ssize_t written = call; \
  int error = errno; \
  if (written > 0 && log_fd >= 0) { \
    long long at = offset; \
    if (at < 0) at = (long long)lseek(fd, 0, SEEK_CUR) - written; \
    note('W', facts.st_ino, at, (size_t)written, files[n].path, NULL); \
    bytes_of; \
  } \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return written

static void put_parts(const struct iovec *parts, int count, size_t left) {
  for (int i = 0; i < count && left > 0; i++) {
    size_t length = parts[i].iov_len < left ? parts[i].iov_len : left;
    put(parts[i].iov_base, length);
    left -= length;
  }
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  WRITE(real_write(fd, bytes, length), fd, -1, put(bytes, (size_t)written));
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  WRITE(real_pwrite(fd, bytes, length, offset), fd, offset, put(bytes, (size_t)written));
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  WRITE(real_pwrite64(fd, bytes, length, offset), fd, offset, put(bytes, (size_t)written));
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  WRITE(real_writev(fd, parts, count), fd, -1, put_parts(parts, count, (size_t)written));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t);
  WRITE(real_pwritev(fd, parts, count, offset), fd, offset, put_parts(parts, count, (size_t)written));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t);
  WRITE(real_pwritev64(fd, parts, count, offset), fd, offset, put_parts(parts, count, (size_t)written));
}

/* Any function on an open file that returns 0 on success. */
#define ON_FILE(call, fd, kind, size) \
  struct stat facts; \
  int n = find_open(fd, &facts); \
  if (n < 0) return call; \
  pthread_mutex_lock(&lock); \
  strike(kind, files[n].path); \
  int result = call; \
  int error = errno; \
  if (result == 0) note(kind, facts.st_ino, size, 0, files[n].path, NULL); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

int ftruncate(int fd, off_t size) {
  REAL(int, ftruncate, int, off_t);
  ON_FILE(real_ftruncate(fd, size), fd, 'T', (long long)size);
}
int ftruncate64(int fd, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
  ON_FILE(real_ftruncate64(fd, size), fd, 'T', (long long)size);
}
int fsync(int fd) {
  REAL(int, fsync, int);
  ON_FILE(real_fsync(fd), fd, S_ISDIR(facts.st_mode) ? 'D' : 'S', 0LL);
}
int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  ON_FILE(real_fdatasync(fd), fd, 'S', 0LL);
}

/* Any function on names that returns 0 on success. */
#define ON_NAMES(call, kind, path, other, named) \
  if (!is_ours(path)) return call; \
  pthread_mutex_lock(&lock); \
  strike(kind, named); \
  int result = call; \
  int error = errno; \
  if (result == 0) note(kind, 0, 0, 0, path, other); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

int rename(const char *path, const char *other) {
  REAL(int, rename, const char *, const char *);
  ON_NAMES(real_rename(path, other), 'R', path, other, other);
}
int link(const char *path, const char *other) {
  REAL(int, link, const char *, const char *);
  ON_NAMES(real_link(path, other), 'L', path, other, other);
}
int unlink(const char *path) {
  REAL(int, unlink, const char *);
  ON_NAMES(real_unlink(path), 'U', path, NULL, path);
}
int remove(const char *path) {
  REAL(int, remove, const char *);
  ON_NAMES(real_remove(path), 'U', path, NULL, path);
}
int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  ON_NAMES(real_mkdir(path, mode), 'M', path, NULL, path);
}
