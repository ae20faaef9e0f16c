import type { Buckets } from "../buckets.js";
import { dayMs, epoch, hourMs, minuteMs, recordOf } from "../fleet.js";
import { layouts } from "../layouts/index.js";
import { createLines, interleave, type Section, timed } from "../measure.js";
import { dayBlobs } from "../rollups/day-blobs.js";
import { hourBlobs } from "../rollups/hour-blobs.js";
import { metricHours } from "../rollups/metric-hours.js";
import { rollUp } from "../rollups/rollup.js";
import { openSubject, type Subject, settleAll, type Workspace } from "../workspace.js";

export interface HistorySize {
  /** A year, or less for a test. */
  readonly days: number;
  /** The last so many days have other devices' records between. */
  readonly busyDays: number;
  readonly others: number;
  readonly repeats: number;
}

const device = 0;
const metrics = ["voltage", "soc", "bms.minCellVoltage"];

interface Chartable {
  readonly name: string;
  chart(from: number, to: number, bucketMs: number): Buckets;
}

/** What two charts must agree on: all but the order in which sums were added. */
const digestOf = (buckets: Buckets): string =>
  JSON.stringify(
    buckets
      .points()
      .map(({ start, metrics: parts }) => [
        start,
        ...parts.map((part) => part && [part.min, part.max, part.count, part.sum.toPrecision(10)]),
      ]),
  );

function load(subjects: readonly Subject[], { days, busyDays, others }: HistorySize): void {
  for (let day = 0; day < days; day++) {
    const busy = day >= days - busyDays;
    for (let hour = 0; hour < 24; hour++) {
      const from = epoch + day * dayMs + hour * hourMs;
      const records = Array.from({ length: 60 }, (_, minute) => from + minute * minuteMs).flatMap(
        (at) => Array.from({ length: busy ? others + 1 : 1 }, (_, n) => recordOf(device + n, at)),
      );
      for (const subject of subjects) {
        // What costs minutes to load and can't win is asked for its last days only.
        if (!busy && /^(A2|C|D)/.test(subject.name)) continue;
        subject.database.pragma("synchronous = OFF");
        subject.commit(() => subject.tables.append(records));
        settleAll(subject, from);
      }
    }
  }
  for (const subject of subjects) subject.prepare(() => {});
}

/** Charts of three metrics over a month and a year, from raw records and from roll-ups. */
export function measureHistory(workspace: Workspace, size: HistorySize): Section {
  const subjects = layouts.map((layout) => openSubject(workspace, layout, "-history"));
  load(subjects, size);
  const source = subjects.find(({ name }) => name === "E chunked") as Subject;
  const end = epoch + size.days * dayMs;
  const rollups = [metricHours, hourBlobs, dayBlobs].map((rollup) => {
    const database = workspace.create(`history ${rollup.name}`);
    const tables = rollup.open(database);
    database.transaction(() => {
      for (let from = epoch; from < end; from += hourMs) {
        const samples = source.tables.samples({ device, from, to: from + hourMs });
        tables.put(device, from, rollUp(samples));
      }
      // The day that is under way has its hours still.
      for (let day = epoch; day < end - dayMs; day += dayMs) tables.closeDay?.(device, day);
    })();
    return { name: rollup.name, tables };
  });
  const raw: Chartable[] = subjects.map(({ name, tables }) => ({
    name,
    chart: (from, to, bucketMs) => tables.chart({ device, metrics, from, to, bucketMs }),
  }));
  const rolledUp: Chartable[] = rollups.map(({ name, tables }) => ({
    name: `roll-up: ${name}`,
    chart: (from, to, bucketMs) => tables.chart({ device, metrics, from, to, bucketMs }),
  }));
  const lines = createLines();
  const measure = (what: string, days: number, bucketMs: number, among: readonly Chartable[]) => {
    const digests = new Set<string>();
    interleave(size.repeats, among, ({ name, chart }) => {
      const from = end - days * dayMs;
      let buckets: Buckets | undefined;
      const ms = timed(() => {
        buckets = chart(from, end, bucketMs);
        buckets.points();
      });
      lines.add(what, "ms", name, ms);
      if (buckets) digests.add(digestOf(buckets));
    });
    if (digests.size !== 1) throw new Error(`The charts over ${what} differ.`);
  };
  const all = [...raw, ...rolledUp];
  const whole = all.filter(({ name }) => !/^(A2|C|D)/.test(name));
  measure("1 day, 5-minute buckets, raw", 1, 5 * minuteMs, raw);
  measure(`${size.busyDays} days, 3-hour buckets`, size.busyDays, 3 * hourMs, all);
  measure(`${size.days} days, 2-day buckets`, size.days, 2 * dayMs, whole);
  return {
    title: "Charts of 3 metrics of one device, a record a minute",
    lines: lines.all(),
    notes: [
      `The last ${size.busyDays} days lie between the records of ${size.others} other devices, what is before lies alone.`,
    ],
  };
}
