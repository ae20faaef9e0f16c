import type { GatewayOptions } from "@device-gateway/core";
import type { AttackOptions } from "../attack.js";
import { customer } from "../issuer.js";
import type { Storage } from "../storage.js";
import { need, openWorld, type World, type WorldReply, type WorldRequest } from "../world.js";
import type { Turnstile } from "./turnstile.js";

/** Strangers who keep the queue of slow hashes full, each within their own limits. */
export interface Jam {
  readonly what: string;
  /** Addresses that register new devices. */
  readonly addresses: readonly string[];
  /** Customers who claim a device that they own, again and again: a right claim costs no try. */
  readonly customers: number;
  /** Requests that each of them keeps open at once. */
  readonly each: number;
  /** There are more addresses than places in the lane of registrations: a new device may get 503. */
  readonly refusesDevices?: true;
}

const ipv4 = (count: number) => Array.from({ length: count }, (_, n) => `198.51.100.${n}`);
const ofOneNetwork = (count: number) =>
  Array.from({ length: count }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);

export const jams = {
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
} as const satisfies Record<string, readonly Jam[]>;

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

/** Registers the devices that are claimed later; each stranger owns theirs already. */
export async function settle(
  storage: Storage,
  { seed }: AttackOptions,
  { customers }: Jam,
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

export interface Street {
  /** Sends a request without waiting for its answer. */
  send(request: WorldRequest, answered: (reply: WorldReply) => void): void;
  /** Waits until every request is answered, waits for a hash, or has one running. */
  rest(): Promise<void>;
  /** Waits until every request is answered. */
  empty(): Promise<void>;
}

/** `turnstile` is what hashes there, unless they run by themselves. */
export function openStreet(world: World, turnstile?: Turnstile): Street {
  let open = 0;
  const isAtRest = async () => {
    const waiting = (await world.gateways[0]?.readLevels())?.slowHashesWaiting ?? 0;
    return open === waiting + (turnstile?.running() ?? 0);
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
    async rest() {
      for (let calm = 0; calm < 2; calm = (await isAtRest()) ? calm + 1 : 0) {
        await othersRun();
      }
    },
    async empty() {
      while (open > 0) await othersRun();
    },
  };
}

/** Gives what tops up the open requests of every stranger. */
export function createCrowd(street: Street, jam: Jam, strangers: readonly WorldRequest[]) {
  const open = new Map<string, number>();
  let born = 0;
  const keepOpen = (who: string, next: () => WorldRequest) => {
    for (let count = open.get(who) ?? 0; count < jam.each; count++) {
      open.set(who, count + 1);
      street.send(next(), () => open.set(who, (open.get(who) ?? 1) - 1));
    }
  };
  return () => {
    for (const address of jam.addresses) {
      keepOpen(address, () => registering(`swarm${born++}`, address));
    }
    for (const [n, request] of strangers.entries()) keepOpen(`stranger-${n}`, () => request);
  };
}

/** The claims that strangers repeat. */
export const strangersClaims = (world: World, { customers }: Jam): Promise<WorldRequest[]> =>
  Promise.all(
    Array.from({ length: customers }, (_, n) => claiming(world, `stranger-${n}`, `own${n}`)),
  );
