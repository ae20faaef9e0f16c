import { dayMs, epoch, hourMs, minuteMs, recordOf } from "../fleet.js";
import { createChunkedRows } from "../layouts/chunked-rows.js";
import { layouts } from "../layouts/index.js";
import { cpuOf, createLines, interleave, type Section, timed } from "../measure.js";
import { dayBlobs } from "../rollups/day-blobs.js";
import { hourBlobs } from "../rollups/hour-blobs.js";
import { metricHours } from "../rollups/metric-hours.js";
import { rollUp } from "../rollups/rollup.js";
import { bytesInUse, openSubject, type Subject, settleAll, type Workspace } from "../workspace.js";

export interface DaySize {
  readonly devices: number;
  readonly hours: number;
  readonly reads: number;
  readonly repeats: number;
}

/** Loads every device's minutes in the order in which they would come. */
function load(subjects: readonly Subject[], { devices, hours }: DaySize): void {
  for (let minute = 0; minute < hours * 60; minute++) {
    const at = epoch + minute * minuteMs;
    const records = Array.from({ length: devices }, (_, device) => recordOf(device, at));
    for (const subject of subjects) {
      subject.database.pragma("synchronous = OFF");
      subject.commit(() => subject.tables.append(records));
    }
  }
  for (const subject of subjects) subject.prepare(() => {});
}

/** A fleet's day: bytes, the background's work, single reads, export. */
export function measureDay(workspace: Workspace, size: DaySize): Section[] {
  const { devices, hours, reads, repeats } = size;
  const subjects = [...layouts, createChunkedRows(4)].map((layout) =>
    openSubject(workspace, layout, "-day"),
  );
  load(subjects, size);
  const records = devices * hours * 60;
  const end = epoch + hours * hourMs;
  const lines = createLines();
  const background = createLines();
  const settling = createLines();
  for (const subject of subjects) {
    const { database, name } = subject;
    if (subject.tables.settleSome) {
      let ms = 0;
      const cpu = cpuOf(() => {
        ms = timed(() => settleAll(subject, end));
      });
      settling.add("settling: time", "µs/record", name, (ms * 1_000) / records);
      settling.add("settling: CPU", "µs/record", name, cpu / records);
    }
    lines.add("bytes on disk", "B/record", name, bytesInUse(database) / records);
  }
  interleave(repeats, subjects, ({ tables, name }, repeat) => {
    const one = timed(() => {
      for (let n = 0; n < reads; n++) {
        const device = (n * 31 + repeat) % devices;
        const at = epoch + ((n * 7_919 + repeat) % (hours * 60)) * minuteMs;
        if (tables.read(device, at) === undefined) throw new Error(`${name} lost a record.`);
      }
    });
    lines.add("read one, whole", "µs", name, (one * 1_000) / reads);
    let exported = 0;
    const ms = timed(() => {
      const span = { device: repeat % devices, from: epoch, to: epoch + dayMs };
      for (const body of tables.bodies(span)) exported += Math.sign(body.length);
    });
    if (exported !== hours * 60) throw new Error(`${name} exported ${exported} records.`);
    lines.add("export a device's day", "records/s", name, (exported / ms) * 1_000);
  });
  const samplers = subjects.filter(({ name }) => !/^A2|^C|^D| h$/.test(name));
  interleave(repeats, samplers, ({ tables, name }, repeat) => {
    const ms = timed(() => {
      for (let hour = 0; hour < hours; hour++) {
        const from = epoch + hour * hourMs;
        rollUp(tables.samples({ device: repeat % devices, from, to: from + hourMs }));
      }
    });
    background.add("reading and rolling up an hour", "µs/hour", name, (ms * 1_000) / hours);
  });
  return [
    {
      title: `A day of ${devices} devices, a record a minute (${records.toLocaleString("en")} records)`,
      lines: lines.all(),
      notes: [],
    },
    {
      title: "Background work",
      lines: [...background.all(), ...settling.all()],
      notes: [],
    },
    measureRollups(workspace, size, subjects.find(({ name }) => name === "F packed") as Subject),
  ];
}

function measureRollups(workspace: Workspace, size: DaySize, source: Subject): Section {
  const { devices, hours, repeats } = size;
  const lines = createLines();
  const kinds = [metricHours, hourBlobs, dayBlobs].map((rollup) => {
    const database = workspace.create(`rollup ${rollup.name}`);
    const tables = rollup.open(database);
    return { name: rollup.name, database, tables };
  });
  const hoursOf = Array.from({ length: hours }, (_, hour) =>
    Array.from({ length: devices }, (__, device) => {
      const from = epoch + hour * hourMs;
      return rollUp(source.tables.samples({ device, from, to: from + hourMs }));
    }),
  );
  interleave(repeats, kinds, ({ name, database, tables }, repeat) => {
    const shift = repeat * dayMs;
    const ms = timed(() => {
      for (const [hour, all] of hoursOf.entries()) {
        database.transaction(() => {
          for (const [device, shapes] of all.entries()) {
            tables.put(device, epoch + shift + hour * hourMs, shapes);
          }
        })();
      }
      database.transaction(() => {
        for (let device = 0; device < devices; device++) tables.closeDay?.(device, epoch + shift);
      })();
    });
    lines.add("writing", "µs/device-hour", name, (ms * 1_000) / (devices * hours));
  });
  for (const { name, database } of kinds) {
    const perDay = (bytesInUse(database) / devices / hours / repeats) * 24;
    lines.add("bytes on disk", "B/device-day", name, perDay);
    lines.add("bytes on disk, spread over its records", "B/record", name, perDay / 1_440);
  }
  return { title: "Roll-ups, hourly", lines: lines.all(), notes: [] };
}
