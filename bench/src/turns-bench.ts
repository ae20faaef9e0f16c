import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createGateway, type Gateway, generateSecrets } from "@device-gateway/core";
import type { GatewayStore } from "@device-gateway/core/store";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { hourMs, minuteMs, recordOf } from "./fleet.js";
import { createLines, type Section } from "./measure.js";
import { registerTemplate } from "./speed/seed-fleet.js";
import { renderSection } from "./table.js";

export interface TurnsBenchOptions {
  readonly days: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
}

const owner = "owner";
const deviceId = "gw-1";

/** The largest requests, and an ordinary chart. */
const requests: Readonly<Record<string, string>> = {
  "raw, 5,000 of one metric": "history?interval=raw&limit=5000&hours=9000&metrics=voltage",
  "raw, 5,000 of all metrics": "history?interval=raw&limit=5000&hours=9000&metrics=*",
  "hours, all metrics and aggregates":
    "history?interval=1h&limit=5000&hours=9000&metrics=*&aggregate=avg,min,max,sum,count,first,last",
  "days, all metrics and aggregates":
    "history?interval=1d&limit=5000&hours=9000&metrics=*&aggregate=avg,min,max,sum,count,first,last",
  "7 minutes, one metric": "history?interval=7m&limit=5000&hours=9000&metrics=voltage",
  "chart of 300 points, three metrics":
    "history?limit=300&hours=720&metrics=voltage,current,bms.minCellVoltage&aggregate=avg,min,max",
  "export of a day, NDJSON": "export?format=ndjson",
  "export of a day, CSV": "export?format=csv",
};

/** Stores one record a minute of one device, and rolls up all but the last day. */
async function seed(store: GatewayStore, days: number, end: number): Promise<void> {
  const ownership = { ownerId: owner, claimedAt: 1, visibleFrom: 0 };
  await registerTemplate(store, deviceId, { ownership, ownedBefore: true });
  for (let from = end - days * 24 * hourMs; from < end; from += 12 * hourMs) {
    const records = Array.from({ length: (12 * hourMs) / minuteMs }, (_, n) => {
      const at = from + n * minuteMs;
      return { at, seq: null, isTimed: false, value: recordOf(0, at) };
    });
    await store.telemetry.append({ deviceId, receivedAt: end, records, once: null });
  }
  while ((await store.telemetry.rollUp({ before: end - 24 * hourMs, limit: 500 })).more);
}

const noBody = { kind: "absent" } as const;

/** Calls the gateway in process, so that no turn of the event loop is a client's. */
async function ask(gateway: Gateway, path: string, query: string): Promise<readonly string[]> {
  const { status, body } = await gateway.handle({
    ...{ method: "GET", path, query, clientAddress: null },
    header: () => undefined,
    json: async () => noBody,
    stream: async function* () {},
  });
  const pieces: string[] = [];
  if (typeof body === "string") pieces.push(body);
  else for await (const piece of body) pieces.push(String(piece));
  if (status !== 200) throw new Error(`${status}: ${pieces.join("")}`);
  // A listener counts the bytes for the Content-Length header.
  for (const piece of pieces) Buffer.byteLength(piece);
  return pieces;
}

/** Returns the CPU of a fixed piece of work in milliseconds, which shows how fast the machine is now. */
function calibrate(): number {
  const begin = process.cpuUsage();
  let hash = "";
  for (let n = 0; n < 20_000; n++) hash = createHash("sha256").update(`${hash}${n}`).digest("hex");
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

/** Measures the longest turn of the event loop, in milliseconds of CPU. */
function watchTurns() {
  let longest = 0;
  let before = process.cpuUsage();
  let isOver = false;
  const turn = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longest;
  };
}

/** Measures how long the largest history requests hold the event loop, in process on SQLite (P12). */
export async function runTurnsBench(options: TurnsBenchOptions): Promise<Section> {
  const { days, repeats, markdown = false, print } = options;
  const folder = mkdtempSync(join(tmpdir(), "turns-bench-"));
  const store = await openSqliteStore({ file: join(folder, "gateway.db") });
  const lines = createLines();
  const digests: string[] = [];
  try {
    const end = Math.floor(Date.now() / hourMs) * hourMs;
    await seed(store, days, end);
    const gateway = await createGateway({
      store,
      secrets: generateSecrets(),
      sessions: {
        authenticateRequest: async () => ({
          proof: "bearer",
          user: { id: owner, emailVerified: true, roles: [] },
        }),
      },
      limits: { dashboardPerMinute: 1_000_000, telemetryRetentionDays: 3_650 },
    });
    const range = { history: `&to=${end}`, export: `&from=${end - 24 * hourMs}&to=${end}` };
    for (let repeat = -1; repeat < repeats; repeat++) {
      for (const [name, path] of Object.entries(requests)) {
        const kind = path.startsWith("history") ? "history" : "export";
        const [resource = "", query = ""] = path
          .replace("hours=9000", `from=${end - days * 24 * hourMs}`)
          .split("?");
        const route = `/api/v1/dashboard/devices/${deviceId}/telemetry/${resource}`;
        const calibration = calibrate();
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        await new Promise((resolve) => setTimeout(resolve, 5));
        delay.reset();
        const endTurns = watchTurns();
        const cpu = process.cpuUsage();
        const begin = performance.now();
        const pieces = await ask(gateway, route, query + range[kind]);
        const elapsed = performance.now() - begin;
        const { user, system } = process.cpuUsage(cpu);
        await new Promise((resolve) => setTimeout(resolve, 5));
        const longest = endTurns();
        delay.disable();
        if (repeat < 0) {
          digests.push(createHash("sha256").update(pieces.join("")).digest("hex").slice(0, 8));
          continue;
        }
        lines.add("longest turn, CPU", "ms", name, longest, true);
        lines.add("longest turn, by the clock", "ms", name, delay.max / 1e6, true);
        lines.add("CPU", "ms", name, (user + system) / 1_000, true);
        lines.add("time", "ms", name, elapsed, true);
        lines.add("CPU of the calibration beside it", "ms", name, calibration, true);
      }
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const section: Section = {
    title: `The largest history requests, ${days} days with a record a minute`,
    lines: lines.all(),
    notes: [
      `Digests of the responses: ${digests.join(" ")}.`,
      "By the clock: the event loop delay of perf_hooks, which grows on a busy machine. The CPU of a turn does not include other processes.",
    ],
  };
  print?.(`${renderSection(section, markdown)}\n`);
  return section;
}
