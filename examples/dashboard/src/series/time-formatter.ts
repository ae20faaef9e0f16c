/** Formats the times of an axis (epoch seconds). `step` is the distance between two of them in seconds. */
export type TimeFormatter = (times: readonly number[], step: number) => string[];

const minute = 60;
const day = 24 * 3600;

/**
 * Returns a formatter in the viewer's locale. The step decides between times of day, days, months
 * and years. The date or year stands below the first label, and below each label where it changes.
 */
export function createTimeFormatter(locale?: string, timeZone?: string): TimeFormatter {
  const writer = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    return (seconds: number) => format.format(seconds * 1000);
  };
  const year = writer({ year: "numeric" });
  const date = writer({ dateStyle: "medium" });
  const levels = [
    { from: 360 * day, text: year, within: () => "" },
    { from: 28 * day, text: writer({ month: "short" }), within: year },
    { from: day, text: writer({ month: "short", day: "numeric" }), within: year },
    { from: minute, text: writer({ timeStyle: "short" }), within: date },
    { from: 0, text: writer({ timeStyle: "medium" }), within: date },
  ] as const;
  return (times, step) => {
    const { text, within } = levels.find(({ from }) => step >= from) ?? levels[4];
    let before = "";
    return times.map((time) => {
      const whole = within(time);
      const lines = whole === before ? [text(time)] : [text(time), whole];
      before = whole;
      return lines.join("\n");
    });
  };
}
