import { Agent, request } from "node:http";
import { bodyOf, linesOf, type RequestFiles } from "./fleet-requests.js";
import type { LoadGenerator } from "./run-wrk.js";
import { readDevices, type SeededDevice } from "./seed/seed-fleet.js";

export interface DrivenLoad {
  readonly port: number;
  readonly path: string;
  readonly devices: readonly SeededDevice[];
  /** If empty, requests are GETs. */
  readonly bodies: readonly string[];
  /** Sent in addition to the token. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Requests a second, at an even rate. Default: as fast as responses arrive. */
  readonly perSecond?: number;
  /** Number of the first request. */
  readonly first?: number;
  /** Ends the load. Open requests are awaited. */
  readonly until: AbortSignal;
}

function send(
  { port, path, headers: more }: DrivenLoad,
  agent: Agent,
  token: string,
  body: string | undefined,
) {
  return new Promise<number>((resolve, reject) => {
    const content = body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const headers = { authorization: `Bearer ${token}`, ...content, ...more };
    const method = body === undefined ? "GET" : "POST";
    const sent = request({ port, path, method, agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Generates a moderate load. Returns the number of requests. Rejects if a status is 400 or above. */
export async function driveLoad(load: DrivenLoad): Promise<number> {
  const { path, devices, bodies, connections, perSecond, first = 0, until } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  let sent = 0;
  const isDue = () =>
    perSecond === undefined || sent < ((performance.now() - start) / 1e3) * perSecond;
  const connect = async () => {
    while (!until.aborted) {
      if (!isDue()) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const n = first + sent++;
      const { token } = devices[n % devices.length] as SeededDevice;
      const body = bodies[bodyOf(n, devices.length, bodies.length)];
      const status = await send(load, agent, token, body);
      if (status >= 400) throw new Error(`${path} was answered with ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  agent.destroy();
  return sent;
}

const toHeaders = (line: string) => {
  const [name = "", value = ""] = line.split(": ");
  return { [name.toLowerCase()]: value };
};

const readFiles = ({ path, devices, bodies, header }: RequestFiles) => ({
  path,
  devices: readDevices(devices),
  bodies: header === undefined ? linesOf(bodies) : [],
  ...(header !== undefined && { headers: toHeaders(header) }),
});

/**
 * Creates a generator that runs in this process, measures no latencies and rejects if a request fails. Each file is
 * read once. `perSecond` is as for `driveLoad`.
 */
export function createLoadDriver(perSecond?: number): LoadGenerator {
  const known = new Map<RequestFiles, ReturnType<typeof readFiles>>();
  return async ({ port, files, connections, seconds, first }) => {
    const requests = known.get(files) ?? readFiles(files);
    known.set(files, requests);
    const start = performance.now();
    const sent = await driveLoad({
      ...requests,
      ...{ port, connections, first },
      ...(perSecond !== undefined && { perSecond }),
      until: AbortSignal.timeout(seconds * 1_000),
    });
    const taken = (performance.now() - start) / 1_000;
    const unknown = { p50: Number.NaN, p99: Number.NaN, failed: 0, cpuSeconds: 0 };
    return { requests: sent, seconds: taken, next: first + sent, ...unknown };
  };
}
