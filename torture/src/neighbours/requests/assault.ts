import { routes } from "@device-gateway/core/contract";
import { type Endpoint, ordinaryBodyBytes, type Role, type SampleParts } from "./endpoints.js";
import { expensiveRequests } from "./expensive-requests.js";
import type { Identity } from "./identities.js";
import { addressWithin, type Message, sequence, toJson } from "./message.js";

/** The ways in which one client may try to make the server unusable for the others. */
export const modes = [
  "pipelined",
  "slow-reading",
  "largest bodies",
  "endless bodies",
  "expensive parameters",
  "many keys",
  "chunked bodies",
  "behind a stream",
] as const;
export type Mode = (typeof modes)[number];

/** What one attacker does: the endpoint, its role and its mode. */
export interface Assault {
  readonly endpoint: Endpoint;
  readonly role: Role;
  readonly mode: Mode;
  /** Name of the expensive request, in mode "expensive parameters". */
  readonly variant?: string;
}

export const nameOf = ({ endpoint, role, mode, variant }: Assault) =>
  `${endpoint.name} by ${role}, ${mode}${variant === undefined ? "" : `: ${variant}`}`;

function isPossible({ endpoint, role, mode }: Assault): boolean {
  switch (mode) {
    case "largest bodies":
      return endpoint.largestBody > 0;
    case "endless bodies":
      return endpoint.method !== "GET";
    case "expensive parameters":
      // The server checks credentials before parameters.
      return endpoint.open || role !== "nobody";
    case "chunked bodies":
      // Where bodies are small, the server reads them whole whatever the client declares.
      return endpoint.largestBody > ordinaryBodyBytes;
    case "behind a stream":
      return endpoint.kind === "api" && endpoint.method === "GET" && role === "customer";
    case "pipelined":
    case "slow-reading":
    case "many keys":
      return true;
  }
}

function ofMode(assault: Assault): readonly Assault[] {
  if (!isPossible(assault)) return [];
  if (assault.mode !== "expensive parameters") return [assault];
  const variants = Object.keys(expensiveRequests(assault.endpoint, "device"));
  return variants.map((variant) => ({ ...assault, variant }));
}

/**
 * Lists every combination of endpoint, role that may call it, and possible mode. Endpoints that refuse a role before
 * their handler do the same work for it, so one of them stands for all.
 */
export function listAssaults(endpoints: readonly Endpoint[]): readonly Assault[] {
  const refusals = new Set<string>();
  const isNew = ({ refusal }: Endpoint, role: Role): boolean => {
    const key = refusal(role);
    if (key === undefined) return true;
    const { size } = refusals;
    return refusals.add(key).size > size;
  };
  return endpoints.flatMap((endpoint) =>
    endpoint.roles
      .filter((role) => isNew(endpoint, role))
      .flatMap((role) => modes.flatMap((mode) => ofMode({ endpoint, role, mode }))),
  );
}

const isBytes = (body: unknown) => body instanceof Uint8Array;

/** Adds a field that the server ignores, so that the body has the largest accepted length. */
function padded(body: unknown, length: number): string {
  if (typeof body !== "object" || body === null || isBytes(body)) return "x".repeat(length);
  const bare = JSON.stringify({ ...body, padding: "" });
  return JSON.stringify({ ...body, padding: "x".repeat(Math.max(0, length - bare.length)) });
}

const isLargest = (mode: Mode) => mode === "largest bodies" || mode === "chunked bodies";

function toMessage(assault: Assault, { headers }: Identity, parts: SampleParts): Message {
  const { endpoint, mode } = assault;
  const { params = {}, query = {}, body } = parts;
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "none"),
  );
  const search = new URLSearchParams(query).toString();
  const text = body === undefined ? "" : isBytes(body) ? "image" : toJson(body);
  return {
    method: endpoint.method,
    target: search === "" ? path : `${path}?${search}`,
    headers: {
      ...headers,
      ...(endpoint.method !== "GET" && { "content-type": "application/json" }),
      ...(mode === "chunked bodies" && { "transfer-encoding": "chunked" }),
      ...parts.headers,
    },
    body: isLargest(mode) ? padded(body, endpoint.largestBody) : text,
  };
}

/** Returns the request that an attacker sends first on each of its connections, or null. */
export function openingOf({ mode }: Assault, { deviceId, headers }: Identity): Message | null {
  if (mode !== "behind a stream") return null;
  const target = `/api/v1${routes.followTelemetry.path.replace(":deviceId", deviceId)}`;
  return { method: "GET", target, headers, body: "" };
}

/** Returns the requests that an attacker repeats in turn. */
export function messagesOf(assault: Assault, identity: Identity): readonly Message[] {
  const { endpoint, role, mode, variant } = assault;
  if (variant !== undefined) {
    const parts = expensiveRequests(endpoint, identity.deviceId)[variant];
    return parts === undefined ? [] : [toMessage(assault, identity, parts)];
  }
  // Where a body names a device, every second request names a new device.
  const ids =
    mode === "many keys" || endpoint.largestBody > 0
      ? [identity.deviceId, `flood-${identity.network}-${sequence}`]
      : [identity.deviceId];
  const messages = ids
    .flatMap((deviceId) => endpoint.samples(deviceId))
    .map((parts) => toMessage(assault, identity, parts));
  if (mode !== "many keys") return messages;
  // Every other key is also new each time: addresses of one network, request ids, idempotency keys, tokens.
  const keys = {
    "x-forwarded-for": addressWithin(identity.network),
    "x-request-id": `request-${sequence}`,
    "idempotency-key": `key-${sequence}`,
    ...(role === "nobody" && !endpoint.open && { authorization: `Bearer forged-${sequence}` }),
  };
  return messages.map((message) => ({ ...message, headers: { ...message.headers, ...keys } }));
}
