import { dearestRequests } from "./dearest.js";
import type { Door, Role, SampleParts } from "./doors.js";
import type { Identity } from "./identities.js";
import { addressWithin, type Message, sequence } from "./message.js";

/** The ways in which one client may try to take the server from the others. */
export const modes = [
  "pipelined",
  "slow-reading",
  "largest bodies",
  "endless bodies",
  "dearest parameters",
  "many keys",
] as const;
export type Mode = (typeof modes)[number];

/** One attacker: where it sends, as whom, and how. */
export interface Assault {
  readonly door: Door;
  readonly role: Role;
  readonly mode: Mode;
  /** Which of the dearest requests. */
  readonly variant?: string;
}

export const nameOf = ({ door, role, mode, variant }: Assault) =>
  `${door.name} by ${role}, ${mode}${variant === undefined ? "" : `: ${variant}`}`;

function isPossible({ door, role, mode }: Assault): boolean {
  switch (mode) {
    case "largest bodies":
      return door.largestBody > 0;
    case "endless bodies":
      return door.method !== "GET";
    case "dearest parameters":
      // Parameters are not looked at before credentials.
      return door.open || role !== "nobody";
    case "pipelined":
    case "slow-reading":
    case "many keys":
      return true;
  }
}

function ofMode(assault: Assault): readonly Assault[] {
  if (!isPossible(assault)) return [];
  if (assault.mode !== "dearest parameters") return [assault];
  const variants = Object.keys(dearestRequests(assault.door, "device"));
  return variants.map((variant) => ({ ...assault, variant }));
}

/** Every door × every role that may call it × every mode that it has. */
export const listAssaults = (doors: readonly Door[]): readonly Assault[] =>
  doors.flatMap((door) =>
    door.roles.flatMap((role) => modes.flatMap((mode) => ofMode({ door, role, mode }))),
  );

const isBytes = (body: unknown) => body instanceof Uint8Array;

/** Adds a field that the server ignores, until the body is as long as the server accepts. */
function padded(body: unknown, length: number): string {
  if (typeof body !== "object" || body === null || isBytes(body)) return "x".repeat(length);
  const bare = JSON.stringify({ ...body, padding: "" });
  return JSON.stringify({ ...body, padding: "x".repeat(Math.max(0, length - bare.length)) });
}

function toMessage(assault: Assault, { headers }: Identity, parts: SampleParts): Message {
  const { door, mode } = assault;
  const { params = {}, query = {}, body } = parts;
  const path = door.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "none"),
  );
  const search = new URLSearchParams(query).toString();
  const text = body === undefined ? "" : isBytes(body) ? "image" : JSON.stringify(body);
  return {
    method: door.method,
    target: search === "" ? path : `${path}?${search}`,
    headers: {
      ...headers,
      ...(door.method !== "GET" && { "content-type": "application/json" }),
      ...parts.headers,
    },
    body: mode === "largest bodies" ? padded(body, door.largestBody) : text,
  };
}

/** The requests that an attacker repeats in turn. */
export function messagesOf(assault: Assault, identity: Identity): readonly Message[] {
  const { door, role, mode, variant } = assault;
  if (variant !== undefined) {
    const parts = dearestRequests(door, identity.deviceId)[variant];
    return parts === undefined ? [] : [toMessage(assault, identity, parts)];
  }
  // Where a body names a device, every other one names a new one.
  const ids =
    mode === "many keys" || door.largestBody > 0
      ? [identity.deviceId, `s11-${identity.network}-${sequence}`]
      : [identity.deviceId];
  const messages = ids
    .flatMap((deviceId) => door.samples(deviceId))
    .map((parts) => toMessage(assault, identity, parts));
  if (mode !== "many keys") return messages;
  // Whatever else may name something new does: addresses of one network, request ids, keys, tokens.
  const keys = {
    "x-forwarded-for": addressWithin(identity.network),
    "x-request-id": `request-${sequence}`,
    "idempotency-key": `key-${sequence}`,
    ...(role === "nobody" && !door.open && { authorization: `Bearer forged-${sequence}` }),
  };
  return messages.map((message) => ({ ...message, headers: { ...message.headers, ...keys } }));
}
