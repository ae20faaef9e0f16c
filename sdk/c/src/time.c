#include <string.h>

#include "internal.h"

/* One wrong Retry-After must not stop a device for days. */
#define MAX_RETRY_AFTER_SECONDS 3600

/* Days since 1970-01-01 of the first day of a month, in the proleptic Gregorian calendar. Years from 1970 on. */
static int64_t days_before(int year, int month) {
  static const int16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  int last = year - 1;
  int leaps = last / 4 - last / 100 + last / 400 - 477;
  return (int64_t)365 * (year - 1970) + leaps + before[month - 1] + (is_leap && month > 2 ? 1 : 0);
}

static void add_digits(dg_text *text, int64_t number, int width, const char *after) {
  int64_t scale = 1;
  while (--width > 0) scale *= 10;
  for (; scale > 0; scale /= 10) {
    const char digit[2] = {(char)('0' + number / scale % 10), 0};
    dg_text_add(text, digit);
  }
  dg_text_add(text, after);
}

void dg_format_time(int64_t epoch_ms, char text[25]) {
  dg_text out = dg_text_in(text, 25);
  int64_t seconds = epoch_ms / 1000;
  int64_t days = seconds / 86400;
  int year = 1970, month = 12;
  while (days_before(year + 1, 1) <= days) year++;
  while (days_before(year, month) > days) month--;
  add_digits(&out, year, 4, "-");
  add_digits(&out, month, 2, "-");
  add_digits(&out, days - days_before(year, month) + 1, 2, "T");
  add_digits(&out, seconds / 3600 % 24, 2, ":");
  add_digits(&out, seconds / 60 % 60, 2, ":");
  add_digits(&out, seconds % 60, 2, ".");
  add_digits(&out, epoch_ms % 1000, 3, "Z");
}

/* Reads a number of exactly `width` digits that are followed by `after`. Returns -1 if there is none. */
static int read_digits(const char **text, int width, char after) {
  int number = 0;
  for (; width > 0; width--, (*text)++) {
    if (**text < '0' || **text > '9') return -1;
    number = number * 10 + (**text - '0');
  }
  if (after != 0 && *(*text)++ != after) return -1;
  return number;
}

static int64_t to_epoch_ms(int year, int month, int day, int hour, int minute, int second) {
  bool is_valid = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour >= 0 && hour < 24 &&
                  minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  if (!is_valid) return -1;
  int64_t hours = (days_before(year, month) + day - 1) * 24 + hour;
  return ((hours * 60 + minute) * 60 + second) * 1000;
}

int64_t dg_parse_time(const char *text) {
  int year = read_digits(&text, 4, '-');
  int month = year < 0 ? -1 : read_digits(&text, 2, '-');
  int day = month < 0 ? -1 : read_digits(&text, 2, 'T');
  int hour = day < 0 ? -1 : read_digits(&text, 2, ':');
  int minute = hour < 0 ? -1 : read_digits(&text, 2, ':');
  int second = minute < 0 ? -1 : read_digits(&text, 2, '.');
  int ms = second < 0 ? -1 : read_digits(&text, 3, 'Z');
  int64_t whole = to_epoch_ms(year, month, day, hour, minute, second);
  return ms < 0 || whole < 0 || *text != 0 ? -1 : whole + ms;
}

/* Parses `Sun, 06 Nov 1994 08:49:37 GMT`. */
static int64_t parse_http_date(const char *text) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (strlen(text) != 29 || strcmp(text + 25, " GMT") != 0) return -1;
  text += 5;
  int day = read_digits(&text, 2, ' ');
  if (day < 0) return -1;
  int month = 0;
  for (int i = 0; i < 12; i++)
    if (strncmp(months + 3 * i, text, 3) == 0) month = i + 1;
  text += 4;
  int year = read_digits(&text, 4, ' ');
  int hour = year < 0 ? -1 : read_digits(&text, 2, ':');
  int minute = hour < 0 ? -1 : read_digits(&text, 2, ':');
  int second = minute < 0 ? -1 : read_digits(&text, 2, 0);
  return to_epoch_ms(year, month, day, hour, minute, second);
}

int32_t dg_parse_retry_after(const char *text, int64_t now_ms) {
  int64_t seconds = 0;
  size_t digits = 0;
  for (; text[digits] >= '0' && text[digits] <= '9'; digits++)
    if (seconds < MAX_RETRY_AFTER_SECONDS) seconds = seconds * 10 + (text[digits] - '0');
  if (digits == 0 || text[digits] != 0) {
    int64_t until = parse_http_date(text);
    if (until < 0 || now_ms <= 0) return -1;
    seconds = until > now_ms ? (until - now_ms + 999) / 1000 : 0;
  }
  return (int32_t)(seconds < MAX_RETRY_AFTER_SECONDS ? seconds : MAX_RETRY_AFTER_SECONDS);
}
