import { type Chart, pathOf } from "./charts.js";
import type { Contender } from "./contender.js";
import { driveLoad } from "./drive-load.js";
import { linesOf } from "./fleet-requests.js";
import { readDevices } from "./seed-fleet.js";
import type { ServerProcess } from "./server-process.js";
import type { Probe } from "./servers/probe-process.js";

const healthPath = "/healthz";
/** Charts in a round: a user may ask for 600 a minute. */
const chartsARound = 60;

export const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;

/** Reads a chart as a browser would. */
export async function readChart({ server }: Contender, chart: Chart, token: string) {
  const path = pathOf(chart);
  const url = `http://127.0.0.1:${server.port}${path}`;
  // Of its own: one that is kept would have ended by itself between two charts that are checked for long.
  const headers = { authorization: `Bearer ${token}`, connection: "close" };
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
  return (await answer.json()) as { interval: string };
}

/** Asks for some paths in turn; milliseconds of each. */
export const askPaths = (
  probe: ServerProcess,
  { server }: Contender,
  { paths, token, times }: { paths: readonly string[]; token: string; times: number },
) => probe.ask<number[][]>("probe", { port: server.port, paths, token, times } satisfies Probe);

/** Records that come in evenly, until they are ended; what is under way is waited for. */
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
  return {
    async end(): Promise<number> {
      ending.abort();
      const sent = await load;
      contender.next = first + sent;
      return sent;
    },
  };
}

/** Milliseconds of health checks and charts, in turn. */
export async function chartRound(
  probe: ServerProcess,
  contender: Contender,
  chart: Chart,
  token: string,
): Promise<{ readonly health: readonly number[]; readonly chart: readonly number[] }> {
  const paths = [healthPath, pathOf(chart)];
  const [health = [], charts = []] = await askPaths(probe, contender, {
    ...{ paths, token },
    times: chartsARound,
  });
  return { health, chart: charts };
}
