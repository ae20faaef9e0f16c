import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createDeviceClient } from "@device-gateway/device-client";
import { createDice } from "../dice.js";
import { countUnfinished } from "./bounded-wait.js";

/** The result of a request. */
export interface Observed {
  /** Null if the connection ended without a complete response. */
  readonly status: number | null;
  readonly retryAfter: string | undefined;
  /** The system's error, if there is no response. */
  readonly fault: string | undefined;
  readonly ms: number;
}

interface Reply extends Observed {
  readonly body: string;
}

export interface PostLoad {
  /** Starts sending. The devices are already registered. */
  begin(): void;
  /** Readings that were answered with 200, by device. */
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  /**
   * Stops sending new records and waits until all sent records are acknowledged, but not forever: a server that never
   * recovers must be reported. Returns how many connections have a record that was not acknowledged.
   */
  stop(): Promise<number>;
}

export interface PostLoadOptions {
  readonly url: string;
  readonly seed: number;
  /** Ids of the devices, which the load registers. */
  readonly devices: readonly string[];
  /** Number of persistent connections of each device. */
  readonly connections: number;
  /** The longest pause between two requests of a connection. Default: 10 ms. */
  readonly pauseMs?: number;
  readonly observe: (observed: Observed) => void;
}

/** A request that takes longer counts as hanging. */
const timeoutMs = 20_000;

function post(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Reply> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (reply: Partial<Reply>) =>
      resolve({
        status: null,
        retryAfter: undefined,
        fault: undefined,
        body: "",
        ...reply,
        ms: performance.now() - startedAt,
      });
    const sent = request(url, { agent, method: "POST", headers, timeout: timeoutMs }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => {
        text += piece;
      });
      answer.on("error", (error: NodeJS.ErrnoException) => end({ fault: `cut: ${error.code}` }));
      answer.on("end", () => {
        const retryAfter = answer.headers["retry-after"];
        end({ status: answer.statusCode ?? 0, retryAfter, body: text });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error("hangs")));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const where = sent.reusedSocket ? " on a connection used before" : "";
      end({ fault: (error.code ?? error.message) + where });
    });
    sent.end(body);
  });
}

/**
 * Registers devices that post small batches, each with its own idempotency key. They repeat a batch until it
 * is acknowledged.
 */
export async function preparePostLoad(options: PostLoadOptions): Promise<PostLoad> {
  const { url, seed, connections, pauseMs = 10, observe } = options;
  const acknowledged = new Map<string, string[]>();
  let [stopping, gaveUp] = [false, false];

  async function drive(deviceId: string, token: string, lane: number): Promise<void> {
    const dice = createDice(seed + lane);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const readingsOfDevice = acknowledged.get(deviceId) ?? [];
    for (let n = 0; !stopping; n++) {
      const readings = Array.from({ length: 1 + dice.int(3) }, (_, i) => `${lane}-${n}-${i}`);
      const records = readings.map((reading) => ({ reading, temperature: dice.int(400) / 10 }));
      const body = JSON.stringify({ records });
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": `${seed}-${lane}-${n}`,
      };
      for (;;) {
        const reply = await post(agent, `${url}/api/v1/telemetry`, headers, body);
        observe(reply);
        if (reply.status === 200) {
          readingsOfDevice.push(...readings);
          break;
        }
        if (gaveUp) break;
        await wait(10 + dice.int(40));
      }
      await wait(dice.int(pauseMs));
    }
    agent.destroy();
  }

  const tokens = new Map<string, string>();
  for (const deviceId of options.devices) {
    const client = createDeviceClient({ baseUrl: url });
    const hardware = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
    const registered = await client.register({ deviceId, ...hardware });
    if (registered.isErr()) throw new Error(registered.error.message);
    tokens.set(deviceId, registered.value.token);
    acknowledged.set(deviceId, []);
  }
  const lanes: Promise<void>[] = [];
  return {
    acknowledged,
    begin() {
      for (const [deviceId, token] of tokens) {
        for (let n = 0; n < connections; n++) lanes.push(drive(deviceId, token, lanes.length));
      }
    },
    async stop() {
      stopping = true;
      const unfinished = await countUnfinished(lanes);
      gaveUp = true;
      return unfinished;
    },
  };
}
