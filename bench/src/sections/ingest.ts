import { dayMs, epoch, minuteMs, recordOf } from "../fleet.js";
import { layouts } from "../layouts/index.js";
import { cpuOf, createLines, interleave, type Section, timed } from "../measure.js";
import { openSubject, type Subject, type Workspace } from "../workspace.js";

export interface IngestSize {
  readonly devices: number;
  /** Records of each device that are there already. */
  readonly before: number;
  readonly commits: number;
  readonly batches: number;
  readonly repeats: number;
}

const perCommit = 64;
const perBatch = 500;

/** Devices in an order that no page knows: a step that is coprime to their number. */
const deviceAt = (n: number, devices: number) => (n * 7_919) % devices;

export function commitsOf(first: number, commits: number, devices: number, start = epoch) {
  return Array.from({ length: commits }, (_, c) =>
    Array.from({ length: perCommit }, (__, n) => {
      const index = (first + c) * perCommit + n;
      const at = start + 30 * dayMs + Math.floor(index / devices) * minuteMs;
      return recordOf(deviceAt(index, devices), at);
    }),
  );
}

export function measureIngest(workspace: Workspace, size: IngestSize): Section {
  const subjects = layouts.map((layout) => openSubject(workspace, layout));
  for (let minute = 0; minute < size.before; minute++) {
    for (let first = 0; first < size.devices; first += 1_000) {
      const records = Array.from({ length: Math.min(1_000, size.devices - first) }, (_, n) =>
        recordOf(first + n, epoch + minute * minuteMs),
      );
      for (const subject of subjects) {
        subject.prepare(() => subject.commit(() => subject.tables.append(records)));
      }
    }
  }
  const lines = createLines();
  // All subjects get the very same records.
  const rounds = Array.from({ length: size.repeats }, (_, repeat) => ({
    commits: commitsOf(repeat * size.commits, size.commits, size.devices),
    batches: Array.from({ length: size.batches }, (__, n) => {
      const from = epoch + 40 * dayMs + repeat * dayMs;
      const device = deviceAt(repeat * size.batches + n, size.devices);
      return Array.from({ length: perBatch }, (___, m) =>
        recordOf(device, from + m * minuteMs, true),
      );
    }),
  }));
  interleave(size.repeats, subjects, (subject: Subject, repeat) => {
    const { commits = [], batches = [] } = rounds[repeat] ?? {};
    const { tables, commit, name, database } = subject;
    database.pragma("wal_checkpoint(TRUNCATE)");
    const run = (transactions: typeof commits, what: string) => {
      let ms = 0;
      let stored = 0;
      const cpu = cpuOf(() => {
        ms = timed(() => {
          for (const records of transactions) stored += commit(() => tables.append(records));
          // What was put off has to be paid as well.
          database.pragma("wal_checkpoint(PASSIVE)");
        });
      });
      const sent = transactions.flat().length;
      if (stored !== sent) throw new Error(`${name} stored ${stored} of ${sent} records.`);
      lines.add(`${what}: rate`, "records/s", name, (stored / ms) * 1_000);
      lines.add(`${what}: CPU`, "µs/record", name, cpu / stored);
    };
    run(commits, "64 devices a commit");
    run(batches, "500 of one device");
    const again = batches[0] ?? [];
    const twice = commit(() => tables.append(again));
    if (twice !== 0) throw new Error(`${name} stored ${twice} duplicates.`);
  });
  return {
    title: `Ingest at full durability, ${size.devices.toLocaleString("en")} devices`,
    lines: lines.all(),
    notes: ["E without settling: that is told under background work."],
  };
}
