import type { GatewayOptions } from "@device-gateway/core";
import type { AttackOptions } from "../attack.js";
import { customer } from "../issuer.js";
import type { Storage } from "../storage.js";
import { need, openWorld, type World, type WorldReply, type WorldRequest } from "../world.js";
import type { ManualHash } from "./manual-hash.js";

/** Clients that keep the queue of slow hashes full, each within its own limits. */
export interface Flood {
  readonly what: string;
  /** Addresses that register new devices. */
  readonly addresses: readonly string[];
  /** Customers who repeatedly claim a device that they own. A correct claim uses no budget. */
  readonly customers: number;
  /** Requests that each client keeps open. */
  readonly each: number;
  /** More addresses than the registrations' part of the queue has places, so a new device may get 503. */
  readonly refusesDevices?: true;
}

const ipv4 = (count: number) => Array.from({ length: count }, (_, n) => `198.51.100.${n}`);
const ofOneNetwork = (count: number) =>
  Array.from({ length: count }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);

export const floods = {
  short: [
    { what: "4 addresses register", addresses: ipv4(4), customers: 0, each: 12 },
    {
      what: "16 customers claim, 24 addresses register",
      addresses: ipv4(24),
      customers: 16,
      each: 3,
    },
  ],
  long: [
    { what: "4 addresses register", addresses: ipv4(4), customers: 0, each: 40 },
    {
      what: "64 addresses of one /48 register",
      addresses: ofOneNetwork(64),
      customers: 0,
      each: 2,
    },
    {
      what: "200 addresses register",
      addresses: ipv4(200),
      customers: 0,
      each: 1,
      refusesDevices: true,
    },
    {
      what: "16 customers claim, 24 addresses register",
      addresses: ipv4(24),
      customers: 16,
      each: 8,
    },
    {
      what: "40 customers claim, 200 addresses register",
      addresses: ipv4(200),
      customers: 40,
      each: 2,
      refusesDevices: true,
    },
  ],
  timed: [0, 8, 16, 24, 32, 48, 64].map((customers) => ({
    what: `${customers} customers claim, 24 addresses register`,
    addresses: ipv4(24),
    customers,
    each: 4,
  })),
} as const satisfies Record<string, readonly Flood[]>;

export const owners = 4;
const hardwareId = "esp32:devkit-v1";

export const registering = (deviceId: string, address: string): WorldRequest => ({
  method: "POST",
  path: "/device/register",
  body: { deviceId, hardwareId, firmwareVersion: "0.1.10", claimCode: `CODE-${deviceId}` },
  address,
});

export async function claiming(world: World, who: string, deviceId: string): Promise<WorldRequest> {
  const token = await world.issuer.tokenOf(customer(who));
  const body = { deviceId, claimCode: `CODE-${deviceId}` };
  return { method: "POST", path: "/user/devices/claim", token, body, address: "203.0.113.9" };
}

/** Registers the owners' devices, and a claimed device for each flooding customer. */
export async function prepareDevices(
  storage: Storage,
  { seed }: AttackOptions,
  { customers }: Flood,
  gateway: Partial<GatewayOptions> = {},
): Promise<void> {
  const world = await openWorld({ storage, seed, options: gateway });
  for (let n = 0; n < owners; n++) {
    need(await world.send(registering(`home${n}`, "192.0.2.1")), 201);
  }
  for (let n = 0; n < customers; n++) {
    need(await world.send(registering(`own${n}`, `192.0.2.${n}`)), 201);
    need(await world.send(await claiming(world, `stranger-${n}`, `own${n}`)), 200);
  }
  await world.close();
}

export interface RequestTracker {
  /** Sends a request without waiting for its answer. */
  send(request: WorldRequest, answered: (reply: WorldReply) => void): void;
  /** Waits until each open request is in the queue of slow hashes or has a running hash. */
  untilQuiet(): Promise<void>;
  /** Waits until all requests are answered. */
  untilAnswered(): Promise<void>;
}

/** Tracks open requests. Give `manualHash` if the gateway uses it. */
export function trackRequests(world: World, manualHash?: ManualHash): RequestTracker {
  let open = 0;
  const isQuiet = async () => {
    const waiting = (await world.gateways[0]?.readLevels())?.slowHashesWaiting ?? 0;
    return open === waiting + (manualHash?.running() ?? 0);
  };
  const othersRun = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    send(request, answered) {
      open++;
      void world.send(request).then((reply) => {
        open--;
        answered(reply);
      });
    },
    async untilQuiet() {
      for (let calm = 0; calm < 2; calm = (await isQuiet()) ? calm + 1 : 0) {
        await othersRun();
      }
    },
    async untilAnswered() {
      while (open > 0) await othersRun();
    },
  };
}

/** Returns a function that sends new requests until each client has its number of open requests. */
export function createCrowd(
  tracker: RequestTracker,
  flood: Flood,
  strangers: readonly WorldRequest[],
) {
  const open = new Map<string, number>();
  let registered = 0;
  const keepOpen = (who: string, next: () => WorldRequest) => {
    for (let count = open.get(who) ?? 0; count < flood.each; count++) {
      open.set(who, count + 1);
      tracker.send(next(), () => open.set(who, (open.get(who) ?? 1) - 1));
    }
  };
  return () => {
    for (const address of flood.addresses) {
      keepOpen(address, () => registering(`swarm${registered++}`, address));
    }
    for (const [n, request] of strangers.entries()) keepOpen(`stranger-${n}`, () => request);
  };
}

/** Returns the claims that the flooding customers repeat. */
export const strangersClaims = (world: World, { customers }: Flood): Promise<WorldRequest[]> =>
  Promise.all(
    Array.from({ length: customers }, (_, n) => claiming(world, `stranger-${n}`, `own${n}`)),
  );
