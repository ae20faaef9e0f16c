import type { RouteName } from "@device-gateway/core/contract";
import { routes } from "@device-gateway/core/contract";
import { parseJsonBody } from "@device-gateway/core/node";
import type { GatewayStore } from "@device-gateway/core/store";
import { createLineWriter } from "../../packages/telemetry-sink/src/line-writer.js";
import { readBatch } from "../../packages/telemetry-sink/src/read-batch.js";
import { createSeriesCap } from "../../packages/telemetry-sink/src/series-cap.js";
import { calibrate } from "./calibrate.js";
import { dayMs } from "./fleet.js";
import { createLines, type Section, spread } from "./measure.js";
import { createScratch } from "./speed/machine/scratch.js";
import { startStoreHost } from "./speed/store/start-store-host.js";
import { openPlace, type StoreKind } from "./speed/store/store-place.js";
import { renderSection } from "./table.js";
import type { LargeRequest } from "./turns/large-request.js";
import { largestRequests } from "./turns/largest-requests.js";
import { type OpenScene, openScene } from "./turns/open-scene.js";
import { watchTurns } from "./turns/watch-turns.js";

export interface TurnsBenchOptions {
  readonly kind: StoreKind;
  /** URL of a Postgres superuser. Default: the run starts its own server. */
  readonly databaseUrl?: string | undefined;
  readonly days: number;
  readonly repeats: number;
  /** Measures only the work whose name contains this text. */
  readonly only?: string | undefined;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

const goalMs = 20;

const encode = (body: LargeRequest["body"]) =>
  body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));

/** Prepares a call of the gateway in process, so that no turn of the event loop is a client's. */
function prepare(scene: OpenScene, name: RouteName, request: LargeRequest): () => Promise<void> {
  const { method, path, scope } = routes[name];
  const { as, params = {}, query = "", body } = request;
  const [bytes, device] = [encode(body), scene.nextDevice()];
  const token = as === "device" ? scene.tokenOf(device) : as;
  const filled = path.replaceAll(/:(\w+)/g, (_, param: string) => params[param] ?? "");
  const headers: Readonly<Record<string, string>> = {
    ...(as !== "nobody" && { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
  };
  const call = {
    ...{ method, path: scope === "api" ? `/api/v1${filled}` : filled, query },
    clientAddress: "192.0.2.1",
    header: (header: string) => headers[header],
    // As in Node's listener, whose body arrives in a later turn.
    json: async () => {
      await new Promise(setImmediate);
      return parseJsonBody(bytes ?? new Uint8Array());
    },
    stream: async function* () {
      if (bytes === undefined) return;
      for (let n = 0; n < bytes.length; n += 65_536) yield bytes.subarray(n, n + 65_536);
    },
  };
  return async () => {
    const response = await scene.gateway.handle(call);
    let text = "";
    const take = (piece: string | Uint8Array) => {
      // A listener counts the bytes for the Content-Length header.
      if (typeof piece === "string") Buffer.byteLength(piece);
      if (text === "") text = Buffer.from(piece.slice(0, 300)).toString();
    };
    if (typeof response.body === "string") take(response.body);
    else for await (const piece of response.body) take(piece);
    if (response.status === (request.status ?? 200)) return;
    throw new Error(`${name} (${request.name ?? "largest"}): ${response.status} ${text}`);
  };
}

interface Work {
  readonly name: string;
  /** Prepares the work. Only the returned function is measured. */
  prepare(): () => Promise<unknown>;
}

/** Returns the largest requests of all routes, as work that can be repeated. */
const requestsOf = (scene: OpenScene): Work[] =>
  (Object.keys(largestRequests) as RouteName[]).flatMap((route) =>
    largestRequests[route].map((toRequest) => {
      const { name = "", atOnce = 1 } = toRequest(scene);
      return {
        name: name === "" ? route : `${route}: ${name}`,
        prepare() {
          const calls = Array.from({ length: atOnce }, () =>
            prepare(scene, route, toRequest(scene)),
          );
          return () => Promise.all(calls.map((call) => call()));
        },
      };
    }),
  );

/** Reads all telemetry as lines, as the telemetry sink does between its requests. */
async function readLines({ telemetry }: GatewayStore): Promise<void> {
  const cap = createSeriesCap({ metricsPerDevice: 256, series: 1_000_000 });
  const writer = createLineWriter({ measurement: "telemetry", metrics: undefined }, cap);
  for (let after = ""; ; ) {
    const { lines, next, isAtEnd } = await readBatch(telemetry, writer, after);
    Buffer.from(lines.flat().join("\n"));
    if (isAtEnd) return;
    after = next;
  }
}

/** Returns the background work, in an order in which each part has something to do. */
const upkeepOf = (scene: OpenScene, store: GatewayStore): Work[] => [
  { name: "telemetry sink: all records as lines", prepare: () => () => readLines(store) },
  {
    name: "roll-up of the year again",
    prepare: () => async () => {
      const { longDevice: deviceId, now: to } = scene;
      await store.telemetry.reopenHours({ deviceId, from: to - scene.days * dayMs, to });
      await scene.gateway.maintain();
    },
  },
  {
    name: "retention: all but 30 days of the records expire",
    prepare: () => async () => {
      scene.advance(scene.days * dayMs);
      await scene.gateway.maintain();
    },
  },
  {
    name: "erasure of the device with a year of data",
    prepare: () => async () => {
      const request = {
        ...{ as: "operator" as const, status: 204 },
        params: { deviceId: scene.longDevice },
      };
      await prepare(scene, "eraseDevice", request)();
      await scene.gateway.maintain();
    },
  },
];

/** Measures the longest turns of the event loop and what caused them, in process (P12). */
export async function runTurnsBench(options: TurnsBenchOptions): Promise<Section> {
  const { kind, days, repeats, only = "", markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const host = await startStoreHost(kind, scratch.folder, { databaseUrl: options.databaseUrl });
  const lines = createLines();
  const calibrations: number[] = [];
  /** The work with a turn above the goal: its longest turn, and where it spent its time. */
  const causes = new Map<string, { readonly longest: number; readonly cause: string }>();
  try {
    const store = await openPlace(await host.newPlace("turns"));
    progress(`storing ${days} days with a record a minute`);
    const scene = await openScene(store, scratch.folder, days);
    const measure = async (work: Work, isKept: boolean) => {
      const { longest, all, cause } = await watchTurns(work.prepare());
      if (!isKept) return;
      if (longest >= (causes.get(work.name)?.longest ?? goalMs)) {
        causes.set(work.name, { longest, cause });
      }
      lines.add(work.name, "ms", "longest turn", longest, true);
      lines.add(work.name, "ms", "all turns", all, true);
    };
    const isWanted = ({ name }: Work) => name.includes(only);
    for (let repeat = -1; repeat < repeats; repeat++) {
      progress(`round ${repeat + 1} of ${repeats}`);
      calibrations.push(calibrate());
      for (const work of requestsOf(scene).filter(isWanted)) await measure(work, repeat >= 0);
    }
    for (const work of upkeepOf(scene, store).filter(isWanted)) {
      progress(work.name);
      await measure(work, true);
    }
    await store.close();
  } finally {
    await host.close();
    scratch.remove();
  }
  const longestOf = ({ values }: (typeof sorted)[number]) =>
    spread(values.get("longest turn") ?? []).median;
  const sorted = [...lines.all()];
  sorted.sort((a, b) => longestOf(b) - longestOf(a));
  const above = sorted.filter((line) => longestOf(line) > goalMs).length;
  const { median, min, max } = spread(calibrations);
  const explained = [...causes].map(
    ([name, { longest, cause }]) => `${name}: ${longest.toFixed(0)} ms: ${cause}`,
  );
  const section: Section = {
    title: `P12: the longest turns of the event loop, ${kind}, ${days} days with a record a minute`,
    lines: sorted,
    notes: [
      `CPU of the main thread. ${above} of ${sorted.length} are above ${goalMs} ms (median).`,
      ...explained,
      `Calibration: ${median.toFixed(0)} ms (${min.toFixed(0)}–${max.toFixed(0)}).`,
    ],
  };
  print?.(`${renderSection(section, markdown)}\n`);
  return section;
}
