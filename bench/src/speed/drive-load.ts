import { Agent, request } from "node:http";
import { bodyOf } from "./fleet-requests.js";
import type { SeededDevice } from "./seed-fleet.js";

export interface DrivenLoad {
  readonly port: number;
  readonly path: string;
  readonly devices: readonly SeededDevice[];
  /** Without any, the path is asked for, with these headers beside the token. */
  readonly bodies: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Requests a second, evenly; default: as many as are answered. */
  readonly perSecond?: number;
  /** Number of the first request. */
  readonly first?: number;
  /** Ends the load; what is under way is waited for. */
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

/** A small generator for loads that need no machine's whole strength; says how many were answered below 400. */
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
      if (status >= 400) throw new Error(`${path} answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  agent.destroy();
  return sent;
}
