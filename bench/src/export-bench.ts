import { createHash } from "node:crypto";
import { request } from "node:http";
import { generateSecrets } from "@device-gateway/core";
import type { GatewayStore } from "@device-gateway/core/store";
import { calibrate } from "./calibrate.js";
import { dayMs, minuteMs, recordOf } from "./fleet.js";
import { createLines, type Section, spread } from "./measure.js";
import { buildServers } from "./speed/build-servers.js";
import { createScratch } from "./speed/machine/scratch.js";
import { registerTemplate } from "./speed/seed/seed-fleet.js";
import { type ServerProcess, startServer } from "./speed/server-process.js";
import type { Usage } from "./speed/servers/serve.js";
import { startStoreHost } from "./speed/store/start-store-host.js";
import { openPlace, type StoreKind } from "./speed/store/store-place.js";
import { renderSection } from "./table.js";

export interface ExportBenchOptions {
  readonly kind: StoreKind;
  /** URL of a Postgres superuser. Default: the run starts its own server. */
  readonly databaseUrl?: string | undefined;
  readonly records: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

const owner = "owner";
const deviceId = "gw-1";
const formats = ["ndjson", "csv"] as const;
/** Time between two records. A million of them take 116 days. */
const intervalMs = 10_000;
const sentAtOnce = 500;

/** Stores records of one device, and rolls up their hours. The values are those of one record a minute. */
async function seed(store: GatewayStore, count: number): Promise<void> {
  const ownership = { ownerId: owner, claimedAt: 1, visibleFrom: 0 };
  await registerTemplate(store, deviceId, { ownership, ownedBefore: true });
  const first = Math.floor(Date.now() / dayMs) * dayMs - count * intervalMs;
  for (let sent = 0; sent < count; sent += sentAtOnce) {
    const records = Array.from({ length: Math.min(sentAtOnce, count - sent) }, (_, n) => {
      const value = recordOf(0, (sent + n) * minuteMs);
      return { at: first + (sent + n) * intervalMs, seq: null, isTimed: false, value };
    });
    await store.telemetry.append({ deviceId, receivedAt: Date.now(), records, once: null });
  }
  while ((await store.telemetry.rollUp({ before: Date.now(), limit: 500 })).more);
}

interface Exported {
  readonly lines: number;
  readonly digest: string;
}

/** Reads an export to its end. */
const readExport = (port: number, format: string): Promise<Exported> =>
  new Promise((resolve, reject) => {
    const path = `/api/v1/dashboard/devices/${deviceId}/telemetry/export?format=${format}`;
    const headers = { authorization: `Bearer ${owner}` };
    const sent = request({ host: "127.0.0.1", port, path, headers }, (response) => {
      const hash = createHash("sha256");
      let lines = 0;
      response.on("data", (piece: Buffer) => {
        hash.update(piece);
        for (let n = piece.indexOf(10); n >= 0; n = piece.indexOf(10, n + 1)) lines += 1;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve({ lines, digest: hash.digest("hex").slice(0, 8) });
        else reject(new Error(`The server returned ${response.statusCode}.`));
      });
    });
    sent.on("error", reject).end();
  });

const mib = (bytes: number) => bytes / 1_048_576;

interface Resident {
  readonly rss: number;
  readonly most: number;
}

/** Measures the CPU and memory of a server that exports the records of one device (P13). */
export async function runExportBench(options: ExportBenchOptions): Promise<Section> {
  const { kind, records, repeats, markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const servers = await buildServers();
  const host = await startStoreHost(kind, scratch.folder, { databaseUrl: options.databaseUrl });
  let server: ServerProcess | undefined;
  const lines = createLines();
  const digests: string[] = [];
  let grown = 0;
  try {
    progress(`storing ${records} records`);
    const place = await host.newPlace("export");
    const store = await openPlace(place);
    await seed(store, records);
    await store.close();
    const program = servers.program("gateway");
    const gateway = { place, secrets: generateSecrets(), mount: "listener" };
    server = await startServer(program, gateway);
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const format of formats) {
        progress(`${format}: round ${repeat + 1} of ${repeats}`);
        const calibration = calibrate();
        const before = await server.ask<Resident>("resident");
        const usage = await server.ask<Usage>("usage");
        const database = host.cpuUs();
        const begin = performance.now();
        const { lines: read, digest } = await readExport(server.port, format);
        const seconds = (performance.now() - begin) / 1_000;
        const [cpuUs, databaseUs] = [(await server.usage()).cpuUs - usage.cpuUs, host.cpuUs()];
        const after = await server.ask<Resident>("resident");
        const wanted = format === "csv" ? records + 1 : records;
        if (read !== wanted) throw new Error(`${format} has ${read} lines instead of ${wanted}.`);
        if (repeat === 0) digests.push(digest);
        lines.add("server's CPU per record", "µs", format, cpuUs / records, true);
        if (kind === "postgres") {
          lines.add("database's", "µs", format, (databaseUs - database) / records, true);
        }
        lines.add("records a second", "", format, records / seconds, true);
        lines.add("calibration", "ms", format, calibration, true);
        lines.add("RSS afterwards", "MiB", format, mib(after.rss), true);
        grown = Math.max(grown, after.most - before.rss);
      }
    }
  } finally {
    await server?.ask("close").catch(() => {});
    await server?.end();
    await host.close();
    servers.remove();
    scratch.remove();
  }
  const all = lines.all();
  const [ndjson, csv] = formats.map(
    (format) => spread(all[0]?.values.get(format) ?? []).median,
  ) as [number, number];
  const section: Section = {
    title: `P13: export of ${records.toLocaleString("en")} records, ${kind}`,
    lines: all,
    notes: [
      `CSV takes ${(csv / ndjson).toFixed(2)} times the CPU of NDJSON (goal: at most 1.3).`,
      `RSS grew by at most ${mib(grown).toFixed(0)} MiB during an export (goal: less than 64).`,
      `Digests of the responses: ${digests.join(" ")}.`,
    ],
  };
  print?.(`${renderSection(section, markdown)}\n`);
  return section;
}
