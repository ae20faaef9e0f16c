import { createFakeClock } from "@device-gateway/testing";
import type { AttackOptions } from "../attack.js";
import { type LineProcess, startLineProcess } from "../line-process.js";
import type { Storage } from "../storage.js";
import { openWorld, type WorldReply, type WorldRequest } from "../world.js";

/** Requests that a gateway gets at one moment. */
export interface Burst {
  readonly now: number;
  readonly requests: readonly WorldRequest[];
  readonly maintain: boolean;
}

export interface BurstReply {
  readonly replies: readonly WorldReply[];
  /** Number of slow hashes computed so far. */
  readonly slowHashes: number;
}

/** Several gateways over one storage, in this process or each in its own. */
export interface GatewayGroup {
  readonly size: number;
  /** Sends each gateway its burst, all at once. */
  send(bursts: readonly Burst[]): Promise<BurstReply[]>;
  close(): Promise<void>;
}

/** Opens one gateway, which gets each burst all at once. */
export async function openGateway(storage: Storage, { seed, plants }: AttackOptions) {
  const clock = createFakeClock();
  const world = await openWorld({ storage, seed, clock, plants });
  return {
    close: world.close,
    async send({ now, requests, maintain }: Burst): Promise<BurstReply> {
      clock.advance(now - clock.now());
      const sending = requests.map((request) => world.send(request));
      // Maintenance runs while the requests are in progress.
      if (maintain) await world.gateways[0]?.maintain();
      return { replies: await Promise.all(sending), slowHashes: world.slowHashes() };
    },
  };
}

export async function openGroup(
  storage: Storage,
  options: AttackOptions,
  size: number,
): Promise<GatewayGroup> {
  const gateways = await Promise.all(
    Array.from({ length: size }, () => openGateway(storage, options)),
  );
  return {
    size,
    send: (bursts) =>
      Promise.all(
        gateways.flatMap((gateway, n) => {
          const burst = bursts[n];
          return burst === undefined ? [] : [gateway.send(burst)];
        }),
      ),
    close: async () => {
      for (const gateway of gateways) await gateway.close();
    },
  };
}

export async function openProcessGroup(
  file: string,
  { seed }: AttackOptions,
  size: number,
): Promise<GatewayGroup> {
  const processes: LineProcess[] = [];
  for (let n = 0; n < size; n++) {
    processes.push(await startLineProcess("guessing/gateway-process.ts", file, String(seed)));
  }
  return {
    size,
    send: (bursts) =>
      Promise.all(
        processes.map(async (gateway, n) => {
          const answer = await gateway.ask(JSON.stringify(bursts[n]));
          return JSON.parse(answer) as BurstReply;
        }),
      ),
    close: async () => {
      for (const gateway of processes) await gateway.end();
    },
  };
}
