import * as formatText from "../text/format.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats how long ago a time was: `just now`, `3 min ago`, `2 h ago`, `5 days ago`. Both are epoch milliseconds. */
export function formatAgo(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  if (passed < 10_000) return formatText.justNow;
  if (passed < minute) return formatText.secondsAgo(Math.floor(passed / 1000));
  if (passed < hour) return formatText.minutesAgo(Math.floor(passed / minute));
  if (passed < 2 * day) return formatText.hoursAgo(Math.floor(passed / hour));
  return formatText.daysAgo(Math.floor(passed / day));
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
export const formatTime = (time: string | number) => dateTime.format(new Date(time));

const dateTimeOfRecord = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
});
/** Formats a time with its seconds. */
export const formatTimeOfRecord = (time: string) => dateTimeOfRecord.format(new Date(time));

const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
export const formatDate = (time: string | number) => dateOnly.format(new Date(time));

/** Formats a reading with this many decimals, by default with its significant digits. */
export function formatNumber(value: number, decimals?: number): string {
  const size = Math.abs(value);
  if (decimals !== undefined && size < 1e15) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return value.toLocaleString(undefined, digits);
  }
  if (size < 1 && (size === 0 || size >= 1e-6))
    return value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return String(Number(value.toPrecision(4)));
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

/** Formats a number with all its digits, for example a threshold that a reading is compared with. */
export function formatExact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return String(value);
  return value.toLocaleString(undefined, { maximumFractionDigits: 20 });
}

/** Formats a reading with its unit: `26.5 V`. */
export const formatReading = (
  value: number,
  {
    decimals,
    unit,
  }: { readonly decimals?: number | undefined; readonly unit?: string | undefined },
): string => [formatNumber(value, decimals), ...(unit === undefined ? [] : [unit])].join(" ");

/** Formats the numbers of a scale with as many digits as its step needs. */
export function scaleNumbers(values: readonly number[], step: number): string[] {
  // A step is 1, 2, 2.5 or 5 times a power of ten, so it may have one digit more than its magnitude.
  const digits = Math.max(0, 1 - Math.floor(Math.log10(step)));
  const format = new Intl.NumberFormat(undefined, { maximumFractionDigits: Math.min(20, digits) });
  return values.map((value) => format.format(value));
}

export const formatCount = (value: number) => value.toLocaleString();

export function formatBytes(value: number): string {
  const step = value < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  const digits = scaled.toLocaleString(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 });
  return `${digits} ${formatText.byteUnits[step]}`;
}

/** Rounds seconds to a minute, or to a tenth of an hour or day, for a duration that need not be exact. */
export function roundTime(seconds: number): number {
  const step = seconds < 3600 ? 60 : seconds < 86_400 ? 360 : 8640;
  return Math.round(seconds / step) * step;
}

/** Formats a duration: `10 s`, `1 min`, `5 min`, `2 h`, `1 day`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return formatText.seconds(seconds);
  if (seconds < 3600) return formatText.minutes(formatNumber(seconds / 60));
  if (seconds < 86_400) return formatText.hours(formatNumber(seconds / 3600));
  return formatText.days(seconds / 86_400, formatNumber(seconds / 86_400));
}

/** Shortens each SHA-256 in a text to its first 12 digits. */
export const shortenHashes = (text: string) =>
  text.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
