import { dayMs, epoch, hourMs, minuteMs, recordOf } from "../fleet.js";
import { layouts } from "../layouts/index.js";
import { createLines, type Section } from "../measure.js";
import { openSubject, settleAll, type Workspace } from "../workspace.js";
import { commitsOf } from "./ingest.js";

export interface RetentionSize {
  readonly devices: number;
  readonly hours: number;
  readonly commits: number;
  readonly repeats: number;
}

const stepRecords = 500;

/** Deletes the older half in steps, a commit of 64 records between each two. */
export function measureRetention(workspace: Workspace, size: RetentionSize): Section {
  const { devices, hours, repeats } = size;
  const subjects = layouts.map((layout) => openSubject(workspace, layout, "-retention"));
  for (let minute = 0; minute < hours * 60; minute++) {
    const at = epoch + minute * minuteMs;
    const records = Array.from({ length: devices }, (_, device) => recordOf(device, at));
    for (const subject of subjects) {
      subject.database.pragma("synchronous = OFF");
      subject.commit(() => subject.tables.append(records));
    }
  }
  for (const subject of subjects) {
    subject.prepare(() => settleAll(subject, epoch + hours * hourMs));
  }
  const lines = createLines();
  const order = subjects.map((subject) => ({ subject, done: false }));
  for (let repeat = 0; repeat < repeats; repeat++) {
    const commits = commitsOf(repeat * size.commits, size.commits, devices, epoch + dayMs);
    const before = epoch + ((repeat + 1) * hours * hourMs) / 2 / repeats;
    for (const { subject } of order) {
      const { tables, commit, name } = subject;
      const waits: number[] = [];
      const alone: number[] = [];
      let removed = 0;
      let spent = 0;
      for (const [n, records] of commits.entries()) {
        const start = performance.now();
        // The first half of the commits has nobody beside it.
        const deleted =
          n * 2 < commits.length ? 0 : commit(() => tables.removeSome(before, stepRecords));
        const between = performance.now();
        commit(() => tables.append(records));
        const wait = performance.now() - start;
        removed += deleted;
        spent += between - start;
        (n * 2 < commits.length ? alone : waits).push(wait);
      }
      // What is left goes without being measured.
      while (commit(() => tables.removeSome(before, stepRecords)) > 0);
      lines.add("commit alone, longest", "ms", name, Math.max(...alone));
      lines.add("commit behind a deletion step, longest", "ms", name, Math.max(...waits));
      if (removed > 0) lines.add("deleting", "µs/record", name, (spent * 1_000) / removed);
    }
  }
  return {
    title: `Retention in steps of ${stepRecords} records, a commit of 64 between`,
    lines: lines.all(),
    notes: ["D counts the rows of metrics as well; E deletes chunks of about 30 records."],
  };
}
