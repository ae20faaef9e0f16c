import { Agent, request } from "node:http";

export interface TelemetryLoad {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** Connections that are kept from earlier calls. Default: new ones. */
  readonly agent?: Agent;
}

/** A record of the size and shape that gateways in the field send. */
const recordOf = (n: number) =>
  JSON.stringify({
    seq: n,
    ...Object.fromEntries(
      Array.from({ length: 50 }, (_, metric) => [`bms.metric${metric}`, (n * 31 + metric) / 7]),
    ),
  });

export const createTelemetryAgent = () => new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends records at set moments, whether or not earlier ones were answered. Returns each record's latency in
 * milliseconds, counted from when it was due.
 */
export async function sendTelemetry(load: TelemetryLoad): Promise<readonly number[]> {
  const { port, tokens, requestsPerSecond, seconds } = load;
  const agent = load.agent ?? createTelemetryAgent();
  const total = Math.round(requestsPerSecond * seconds);
  const start = performance.now();
  const latencies: Promise<number>[] = [];
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1_000) / requestsPerSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise<void>((resolve) => setTimeout(resolve, wait));
    latencies.push(send(agent, port, tokens[n % tokens.length] ?? "", recordOf(n), due));
  }
  const measured = await Promise.all(latencies);
  if (load.agent === undefined) agent.destroy();
  return measured;
}

function send(agent: Agent, port: number, token: string, body: string, due: number) {
  return new Promise<number>((resolve, reject) => {
    const sent = request(
      {
        ...{ agent, host: "127.0.0.1", port, method: "POST", path: "/api/v1/telemetry" },
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        if (response.statusCode !== 200)
          reject(new Error(`Telemetry was answered with ${response.statusCode}.`));
        response.resume().on("end", () => resolve(performance.now() - due));
      },
    );
    sent.on("error", reject).end(body);
  });
}
