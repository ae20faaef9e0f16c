import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
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
import { createWebhookManager } from "@device-gateway/webhooks";
import type { Handle, Plants } from "./attack.js";
import { createIssuer, type Issuer } from "./issuer.js";
import type { Storage } from "./storage.js";

export interface WorldRequest {
  readonly method: string;
  /** Relative to the base path, or to the root if the scope is `service`. */
  readonly path: string;
  readonly scope?: "api" | "service";
  readonly query?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The client's address. */
  readonly address?: string;
}

export interface WorldReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Gateways over one storage with one clock, as several processes would run them. */
export interface World {
  readonly clock: FakeClock;
  readonly issuer: Issuer;
  readonly stores: readonly GatewayStore[];
  readonly gateways: readonly Gateway[];
  /** Number of slow hashes that all gateways have computed. */
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
  /** Whether owners of devices may have webhooks. Default: false. */
  readonly webhooksOfOwners?: boolean;
}

/** scrypt at almost no cost, because most attacks do not measure it. */
const cheapScrypt = { logN: 4, r: 8, p: 1 };
/** A queue that never fills up. The attack `guessing` fills the queue. */
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
    const forOwners = wanted.webhooksOfOwners === true;
    const webhooks = createWebhookManager(store, { secrets, clock, forOwners });
    const limits = { ...manyWaiting, ...wanted.options?.limits };
    gateways.push(
      await createGateway({ ...options, customers, webhooks, ...wanted.options, limits }),
    );
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
        : // A real body was parsed from text, so it shares no objects with the caller.
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

/** A live stream never ends, so reading stops after this many pieces or this long without one. */
const enoughPieces = 50;
const enoughSilenceMs = 40;
/**
 * On a busy machine, the time may pass before a piece that is due has arrived. Waiting for this many turns of the event
 * loop lets it arrive first.
 */
const enoughTurns = 50;

async function readReply({ status, headers, body }: GatewayResponse): Promise<WorldReply> {
  if (typeof body === "string") return { status, headers, body };
  const isJson = headers["content-type"] === "application/json";
  return { status, headers, body: await (isJson ? readJson(body) : readPieces(body)) };
}

/** Returns the text of a JSON body. A large one comes in pieces. */
export async function readJson(body: GatewayResponse["body"]): Promise<string> {
  if (typeof body === "string") return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** Reads a stream to its end, or until a live stream has sent enough. */
export async function readPieces(body: AsyncIterable<string | Uint8Array>): Promise<string> {
  const pieces: string[] = [];
  const iterator = body[Symbol.asyncIterator]();
  while (pieces.length < enoughPieces) {
    const next = iterator.next();
    // Closing the store may reject this read when nothing waits for it any longer.
    next.catch(() => {});
    const piece = await beforeSilence(next);
    if (piece === null || piece.done) break;
    const { value } = piece;
    pieces.push(typeof value === "string" ? value : Buffer.from(value).toString("latin1"));
  }
  void iterator.return?.()?.catch(() => {});
  return pieces.join("");
}

/** Resolves with the piece, or with null if none comes for a while. */
function beforeSilence<Piece>(next: Promise<Piece>): Promise<Piece | null> {
  let hasCome = false;
  const piece = next.finally(() => {
    hasCome = true;
  });
  const silence = async () => {
    await wait(enoughSilenceMs);
    for (let turn = 0; turn < enoughTurns && !hasCome; turn++) await nextTurn();
    return null;
  };
  return Promise.race([piece, silence()]);
}

/** Returns a text field of a JSON body. Throws if it is missing, because the setup failed. */
export function needText({ status, body }: WorldReply, field: string): string {
  const value = body === "" ? undefined : (JSON.parse(body) as Record<string, unknown>)[field];
  if (typeof value !== "string") throw new Error(`The response ${status} has no ${field}: ${body}`);
  return value;
}

/** Returns the reply if it has one of the statuses. Throws otherwise, because the setup failed. */
export function need(reply: WorldReply, ...statuses: readonly number[]): WorldReply {
  if (statuses.includes(reply.status)) return reply;
  throw new Error(`Expected ${statuses.join(" or ")}, got ${reply.status}: ${reply.body}`);
}
