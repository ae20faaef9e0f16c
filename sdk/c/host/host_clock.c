#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "dg_host.h"

static int64_t now_ms(void *context) {
  struct timespec now;
  (void)context;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_ms(void *context, uint32_t ms) {
  struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
  (void)context;
  while (nanosleep(&left, &left) != 0) continue;
}

void dg_host_clock_open(dg_clock_port *port) { *port = (dg_clock_port){NULL, now_ms, wait_ms}; }
