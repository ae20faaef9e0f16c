/* Counts checks, and prints those that fail. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int checks, failures;

static void check(bool is_good, const char *what) {
  checks++;
  if (is_good) return;
  failures++;
  printf("%s\n", what);
}

#endif
