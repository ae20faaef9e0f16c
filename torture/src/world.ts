import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  type GatewayResponse,
  type GatewayStore,
  generateSecrets,
  type SlowHash,
  silentLogger,
} from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createFakeClock, createSeededRandom, type FakeClock } from "@device-gateway/testing";
import type { Handle, Plants } from "./attack.js";
import { createIssuer, type Issuer } from "./issuer.js";
import type { Storage } from "./storage.js";

export interface WorldRequest {
  readonly method: string;
  /** Below the base path; with the scope `service`, at the root. */
  readonly path: string;
  readonly scope?: "api" | "service";
  readonly query?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The peer's address. */
  readonly address?: string;
}

export interface WorldReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Gateways over one storage, as so many processes would be, with one clock. */
export interface World {
  readonly clock: FakeClock;
  readonly issuer: Issuer;
  readonly stores: readonly GatewayStore[];
  readonly gateways: readonly Gateway[];
  /** Slow hashes computed so far, by all gateways. */
  slowHashes(): number;
  send(request: WorldRequest, gateway?: number): Promise<WorldReply>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly storage: Storage;
  readonly seed: number;
  readonly gateways?: number;
  readonly clock?: FakeClock;
  readonly plants?: Plants | undefined;
  readonly options?: Partial<GatewayOptions>;
}

/** A scrypt that costs next to nothing: what is attacked here is not its work. */
const cheapScrypt = { logN: 4, r: 8, p: 1 };
/** No queue is full here: that is R4's and R6's to try. */
const manyWaiting = { hashesQueued: 1_000 };

function countCalls(slowHash: SlowHash): { slowHash: SlowHash; calls(): number } {
  let calls = 0;
  return {
    calls: () => calls,
    slowHash: {
      derive(...input) {
        calls++;
        return slowHash.derive(...input);
      },
    },
  };
}

export async function openWorld(wanted: WorldOptions): Promise<World> {
  const { storage, seed, gateways: count = 1, clock = createFakeClock(), plants } = wanted;
  const issuer = createIssuer(clock);
  const counting = countCalls(createLibuvSlowHash());
  const slowHash = plants?.slowHash?.(counting.slowHash) ?? counting.slowHash;
  const secrets = generateSecrets(createSeededRandom(seed));
  const stores: GatewayStore[] = [];
  const gateways: Gateway[] = [];
  for (let n = 0; n < count; n++) {
    const opened = await storage.open();
    const store = plants?.store?.(opened) ?? opened;
    stores.push(store);
    const options = { store, clock, secrets, slowHash, scryptCost: cheapScrypt };
    const customers = issuer.authenticator;
    const limits = { ...manyWaiting, ...wanted.options?.limits };
    gateways.push(await createGateway({ ...options, customers, ...wanted.options, limits }));
  }
  const handles = gateways.map((gateway, n): Handle => {
    const handle: Handle = (request) => gateway.handle(request);
    return (
      plants?.handle?.(handle, stores[n] as GatewayStore, wanted.options?.logger ?? silentLogger) ??
      handle
    );
  });
  return {
    clock,
    issuer,
    stores,
    gateways,
    slowHashes: counting.calls,
    send: async (request, gateway = 0) => {
      const handle = handles[gateway % handles.length] as Handle;
      return readReply(await handle(toGatewayRequest(request)));
    },
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
}

function toGatewayRequest(request: WorldRequest): GatewayRequest {
  const { method, path, query = {}, token, body, address = "192.0.2.1" } = request;
  const headers: Record<string, string> = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...request.headers,
  };
  return {
    method,
    path: request.scope === "service" ? path : `/api/v1${path}`,
    query: new URLSearchParams(query).toString(),
    clientAddress: address,
    header: (name) => headers[name],
    json: async () =>
      body === undefined
        ? { kind: "absent" }
        : // What comes in was text once, and is nobody else's object.
          {
            kind: "value",
            value: JSON.parse(JSON.stringify(body)) as unknown,
            length: JSON.stringify(body).length,
          },
    async *stream() {
      if (body instanceof Uint8Array) yield body;
    },
  };
}

/** A live stream never ends: this many pieces, or this long without one, show what it is. */
const enoughPieces = 50;
const enoughSilenceMs = 40;

async function readReply({ status, headers, body }: GatewayResponse): Promise<WorldReply> {
  if (typeof body === "string") return { status, headers, body };
  const pieces: string[] = [];
  const iterator = body[Symbol.asyncIterator]();
  while (pieces.length < enoughPieces) {
    const next = iterator.next();
    // Whoever closes the store breaks it off, and nobody is waiting any more.
    next.catch(() => {});
    const piece = await Promise.race([next, silence()]);
    if (piece === null || piece.done) break;
    const { value } = piece;
    pieces.push(typeof value === "string" ? value : Buffer.from(value).toString("latin1"));
  }
  void iterator.return?.()?.catch(() => {});
  return { status, headers, body: pieces.join("") };
}

const silence = () =>
  new Promise<null>((resolve) => {
    setTimeout(() => resolve(null), enoughSilenceMs);
  });

/** A field of a JSON body that must be there: the world could not be set up otherwise. */
export function needText({ status, body }: WorldReply, field: string): string {
  const value = body === "" ? undefined : (JSON.parse(body) as Record<string, unknown>)[field];
  if (typeof value !== "string") throw new Error(`No ${field} in ${status} ${body}`);
  return value;
}

/** Lets only an answer of that status pass, where anything else spoils the world. */
export function need(reply: WorldReply, ...statuses: readonly number[]): WorldReply {
  if (statuses.includes(reply.status)) return reply;
  throw new Error(`Wanted ${statuses.join(" or ")}, got ${reply.status}: ${reply.body}`);
}
