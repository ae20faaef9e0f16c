#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "dg_host.h"

/* 14 November 2023. */
#define OLDEST_SECONDS INT64_C(1700000000)

int64_t dg_host_to_epoch_ms(int64_t seconds, long nanoseconds) {
  return seconds > OLDEST_SECONDS ? seconds * 1000 + nanoseconds / 1000000 : 0;
}

static int64_t now_ms(void *context) {
  struct timespec now;
  (void)context;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  return dg_host_to_epoch_ms(now.tv_sec, now.tv_nsec);
}

static void wait_ms(void *context, uint32_t ms) {
  struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
  (void)context;
  while (nanosleep(&left, &left) != 0) continue;
}

void dg_host_clock_open(dg_clock_port *port) { *port = (dg_clock_port){NULL, now_ms, wait_ms}; }
