import { dayMs, epoch, hourMs, minuteMs, recordOf } from "../fleet.js";
import { packedRows } from "../layouts/packed-rows.js";
import { textRows } from "../layouts/text-rows.js";
import { createLines, interleave, type Section, timed } from "../measure.js";
import { openSubject, type Workspace } from "../workspace.js";
import { commitsOf } from "./ingest.js";

export interface GrowthSize {
  readonly few: number;
  readonly many: number;
  readonly records: number;
  readonly commits: number;
  readonly repeats: number;
}

/** The same number of records of few devices and of many: what the number of devices costs. */
export function measureGrowth(workspace: Workspace, size: GrowthSize): Section {
  const { few, many, records, repeats } = size;
  const subjects = [textRows, packedRows].flatMap((layout) =>
    [few, many].map((devices) => {
      const subject = openSubject(workspace, layout, `-${devices}`);
      return { devices, subject, label: `${layout.name}, ${devices.toLocaleString("en")}` };
    }),
  );
  const probeStep = Math.ceil(records / (7 * 1_440));
  for (const { devices, subject } of subjects) {
    const { database, tables, commit } = subject;
    database.pragma("synchronous = OFF");
    for (let first = 0; first < records; first += 5_000) {
      commit(() => {
        for (let n = first; n < Math.min(records, first + 5_000); n++) {
          const at = epoch + Math.floor(n / devices) * minuteMs;
          const own = [recordOf((n * 7_919) % devices, at)];
          // A device that is charted has a week of minutes strewn between.
          if (n % probeStep === 0) own.push(recordOf(many, epoch + (n / probeStep) * minuteMs));
          tables.append(own);
        }
      });
    }
    subject.prepare(() => {});
  }
  const lines = createLines();
  interleave(repeats, subjects, ({ devices, subject, label }, repeat) => {
    const { tables, commit, database } = subject;
    const commits = commitsOf(repeat * size.commits, size.commits, devices);
    const ms = timed(() => {
      for (const batch of commits) commit(() => tables.append(batch));
      database.pragma("wal_checkpoint(PASSIVE)");
    });
    lines.add("64 devices a commit", "records/s", label, (size.commits * 64_000) / ms);
    const query = { device: many, metrics: ["voltage", "soc"], bucketMs: hourMs };
    const chart = timed(
      () => void tables.chart({ ...query, from: epoch, to: epoch + 7 * dayMs }).points(),
    );
    lines.add("chart of 7 days, raw", "ms", label, chart);
  });
  return {
    title: `Growth: ${records.toLocaleString("en")} records of few or many devices`,
    lines: lines.all(),
    notes: ["Compare each layout's two columns; ratios are to the first column."],
  };
}
