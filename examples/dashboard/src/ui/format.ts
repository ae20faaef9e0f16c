const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats how long ago a time was: `just now`, `3 min ago`, `2 h ago`, `5 days ago`. Both are epoch milliseconds. */
export function formatAgo(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  if (passed < 10_000) return "just now";
  if (passed < minute) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  if (passed < 2 * day) return `${Math.floor(passed / hour)} h ago`;
  return `${Math.floor(passed / day)} days ago`;
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
export const formatTime = (time: string | number) => dateTime.format(new Date(time));

const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
export const formatDate = (time: string | number) => dateOnly.format(new Date(time));

/** Formats a reading with its significant digits. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size < 1 && (size === 0 || size >= 1e-6))
    return value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return String(Number(value.toPrecision(4)));
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

/** Formats the numbers of a scale with as many digits as its step needs. */
export function scaleNumbers(values: readonly number[], step: number): string[] {
  // A step is 1, 2, 2.5 or 5 times a power of ten, so it may have one digit more than its magnitude.
  const digits = Math.max(0, 1 - Math.floor(Math.log10(step)));
  const format = new Intl.NumberFormat(undefined, { maximumFractionDigits: Math.min(20, digits) });
  return values.map((value) => format.format(value));
}

export const formatCount = (value: number) => value.toLocaleString();

const units = ["bytes", "KB", "MB", "GB"];
export function formatBytes(value: number): string {
  const step = value < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  return `${scaled.toLocaleString(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 })} ${units[step]}`;
}

/** Formats a duration: `10 s`, `1 min`, `5 min`, `2 h`, `1 day`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${formatNumber(seconds / 60)} min`;
  if (seconds < 86_400) return `${formatNumber(seconds / 3600)} h`;
  return seconds === 86_400 ? "1 day" : `${formatNumber(seconds / 86_400)} days`;
}

/** Shortens each SHA-256 in a text to its first 12 digits. */
export const shortenHashes = (text: string) =>
  text.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
