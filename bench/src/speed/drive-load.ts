import { Agent, request } from "node:http";
import { bodyOf } from "./fleet-requests.js";
import type { SeededDevice } from "./seed/seed-fleet.js";

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
