import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort } from "../../../../scripts/find-free-port.js";

/** The values at one instant of one series, in no promised order. The key is `<deviceId> <metric> <milliseconds>`. */
export type StoredValues = ReadonlyMap<string, readonly number[]>;

/** A database that runs as a process and keeps its data and its port when it is killed. */
export interface RealReceiver {
  /** Where the sink writes. */
  readonly url: string;
  start(): Promise<void>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  read(): Promise<StoredValues>;
  remove(): Promise<void>;
}

/** How to run a kind of database. */
interface Kind {
  readonly program: string;
  /** Prepares the folder, and returns the program's arguments. */
  prepare(folder: string, port: number, otherPort: number): readonly string[];
  readonly path: string;
  afterStart(origin: string): Promise<unknown>;
  read(origin: string): Promise<StoredValues>;
}

interface InfluxSeries {
  readonly tags: { readonly deviceId: string };
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | string | null)[])[];
}

/** Asks InfluxDB for the result of an InfluxQL statement. `POST` is for statements that change data. */
export const queryInflux = async (origin: string, query: string, method = "GET") => {
  const search = new URLSearchParams({ db: "gateway", epoch: "ms", q: query });
  return (await fetch(`${origin}/query?${search}`, { method })).json();
};

const influx: Kind = {
  program: "influxd",
  path: "/write?db=gateway",
  prepare(folder, port, otherPort) {
    const file = join(folder, "influxdb.conf");
    writeFileSync(
      file,
      `reporting-disabled = true
bind-address = "127.0.0.1:${otherPort}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
[logging]
level = "error"
`,
    );
    return ["-config", file];
  },
  afterStart: (origin) => queryInflux(origin, "CREATE DATABASE gateway", "POST"),
  async read(origin) {
    const answer = await queryInflux(origin, "SELECT * FROM telemetry GROUP BY deviceId");
    const series: readonly InfluxSeries[] = answer.results[0].series ?? [];
    const stored = new Map<string, readonly number[]>();
    for (const { tags, columns, values } of series) {
      for (const row of values) {
        for (const [n, column] of columns.entries()) {
          const value = row[n];
          if (column === "time" || typeof value !== "number") continue;
          stored.set(`${tags.deviceId} ${column} ${row[0]}`, [value]);
        }
      }
    }
    return stored;
  },
};

interface ExportedSeries {
  readonly metric: { readonly __name__: string; readonly deviceId: string };
  readonly values: readonly number[];
  readonly timestamps: readonly number[];
}

const victoria: Kind = {
  program: "victoria-metrics",
  path: "/write",
  prepare: (folder, port) => [
    `-storageDataPath=${join(folder, "data")}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    "-retentionPeriod=100y",
    "-loggerLevel=ERROR",
  ],
  afterStart: async () => {},
  async read(origin) {
    // Makes the newest samples visible.
    await fetch(`${origin}/internal/force_flush`);
    const search = new URLSearchParams({ "match[]": '{__name__=~"telemetry_.*"}' });
    const text = await (await fetch(`${origin}/api/v1/export?${search}`)).text();
    const stored = new Map<string, number[]>();
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const { metric, values, timestamps } = JSON.parse(line) as ExportedSeries;
      const name = metric.__name__.replace("telemetry_", "");
      for (const [n, at] of timestamps.entries()) {
        const key = `${metric.deviceId} ${name} ${at}`;
        stored.set(key, [...(stored.get(key) ?? []), values[n] as number]);
      }
    }
    return stored;
  },
};

export const receiverKinds = { influx, victoria };
export type ReceiverKind = keyof typeof receiverKinds;

/** Why the tests of a kind are skipped, or undefined. Both are packages of Debian. */
export function missingReceiver(kind: ReceiverKind): string | undefined {
  const { program } = receiverKinds[kind];
  const { error } = spawnSync(program, ["--version"]);
  return error === undefined ? undefined : `${program} is not installed`;
}

async function untilAnswers(origin: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${origin}/ping`).catch(() => undefined);
    // VictoriaMetrics answers /ping with 204 as InfluxDB does.
    if (answer?.ok) return;
    await setTimeout(20);
  }
  throw new Error(`The receiver has ended with ${child.exitCode}.`);
}

/** Creates a database of a kind with a new folder and a free port. It is not started. */
export async function createRealReceiver(kind: ReceiverKind): Promise<RealReceiver> {
  const { program, prepare, path, afterStart, read } = receiverKinds[kind];
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-receiver-"));
  mkdirSync(join(folder, "data"));
  const port = await findFreePort();
  const given = prepare(folder, port, await findFreePort());
  const origin = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    child = undefined;
  }

  return {
    url: `${origin}${path}`,
    async start() {
      child = spawn(program, given, { stdio: "ignore" });
      await untilAnswers(origin, child);
      await afterStart(origin);
    },
    kill,
    read: () => read(origin),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
