import { type Chart, pathOf } from "./charts.js";
import type { Contender } from "./contender.js";
import { driveLoad } from "./drive-load.js";
import { linesOf } from "./fleet-requests.js";
import { readDevices } from "./seed/seed-fleet.js";
import type { ServerProcess } from "./server-process.js";
import type { Probe } from "./servers/probe-process.js";

const healthPath = "/healthz";
/** Charts in a round. A user may request 600 a minute. */
const chartsPerRound = 60;

export const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;

/** Reads a chart as a browser would. */
export async function readChart({ server }: Contender, chart: Chart, token: string) {
  const path = pathOf(chart);
  const url = `http://127.0.0.1:${server.port}${path}`;
  // A persistent connection would time out while a chart is checked.
  const headers = { authorization: `Bearer ${token}`, connection: "close" };
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`);
  return (await answer.json()) as { interval: string };
}

/** Requests some paths in turn. Returns the milliseconds of each. */
export const askPaths = (
  probe: ServerProcess,
  { server }: Contender,
  { paths, token, times }: { paths: readonly string[]; token: string; times: number },
) => probe.ask<number[][]>("probe", { port: server.port, paths, token, times } satisfies Probe);

interface Arrived {
  readonly records: number;
  readonly perSecond: number;
}

/** Sends records at an even rate until `end` is called, which waits for the open requests and returns what arrived. */
export function startIngest(contender: Contender, perSecond: number) {
  const { server, files, next: first } = contender;
  const ending = new AbortController();
  const load = driveLoad({
    port: server.port,
    path: files.path,
    devices: readDevices(files.devices),
    bodies: linesOf(files.bodies),
    connections: 64,
    perSecond,
    first,
    until: ending.signal,
  });
  const start = performance.now();
  return {
    async end(): Promise<Arrived> {
      ending.abort();
      const records = await load;
      contender.next = first + records;
      return { records, perSecond: (records * 1_000) / (performance.now() - start) };
    },
  };
}

/** Requests health checks and charts in turn. Returns their milliseconds. */
export async function chartRound(
  probe: ServerProcess,
  contender: Contender,
  chart: Chart,
  token: string,
): Promise<{ readonly health: readonly number[]; readonly chart: readonly number[] }> {
  const paths = [healthPath, pathOf(chart)];
  const [health = [], charts = []] = await askPaths(probe, contender, {
    ...{ paths, token },
    times: chartsPerRound,
  });
  return { health, chart: charts };
}
