import type { Mode } from "../requests/assault.js";
import { type Message, toWire } from "../requests/message.js";

/**
 * How an attacker uses its connections. `answered` and `crowded`: waits for each response, on few or many
 * connections. `pipelined`: does not wait. `unread`: never reads a response. `endless`: sends endless bodies.
 */
export type Style = "answered" | "crowded" | "pipelined" | "unread" | "endless";

/** What an attacker process does until it is stopped. */
export interface Orders {
  readonly port: number;
  readonly style: Style;
  readonly connections: number;
  /** Requests a second over all connections. Null: as many as the server accepts. */
  readonly perSecond: number | null;
  /** Total number of requests, the first `burst` of them at once. Null: until it is stopped. */
  readonly count: number | null;
  readonly burst: number;
  /** Bytes of one endless body, after which the attacker starts another. */
  readonly endlessBytes: number;
  /** Sent first on each connection. Only connections that do not wait for responses send it. */
  readonly opening: Message | null;
  readonly messages: readonly Message[];
}

const styleOf: Readonly<Record<Mode, Style>> = {
  pipelined: "pipelined",
  "slow-reading": "unread",
  "largest bodies": "answered",
  "endless bodies": "endless",
  "expensive parameters": "answered",
  "many keys": "crowded",
  "chunked bodies": "answered",
  "behind a stream": "pipelined",
};

/** The strength of one client: connections, requests a second, and requests at once. */
const strength: Readonly<Record<Style, Pick<Orders, "connections" | "burst"> & { rate: number }>> =
  {
    answered: { connections: 8, rate: 500, burst: 0 },
    crowded: { connections: 64, rate: 500, burst: 0 },
    pipelined: { connections: 4, rate: 1_000, burst: 64 },
    unread: { connections: 4, rate: 1_000, burst: 64 },
    endless: { connections: 4, rate: 4, burst: 0 },
  };
const bytesPerSecond = 4_000_000;
const endlessBytes = 64_000_000;

/** The number of requests of one attack in the short form. */
const short: Readonly<Record<Style, number>> = {
  answered: 60,
  crowded: 256,
  pipelined: 400,
  unread: 4_000,
  endless: 4,
};
const shortBytes = 2_000_000;

export function ordersFor(
  mode: Mode,
  { opening, messages }: Pick<Orders, "opening" | "messages">,
  port: number,
  long: boolean,
): Orders {
  const style = styleOf[mode];
  const { connections, rate, burst } = strength[style];
  const sizes = messages.map((message) => toWire(message).length);
  const size = Math.max(1, sizes.reduce((sum, one) => sum + one, 0) / Math.max(1, sizes.length));
  const fitting = (bytes: number, wanted: number) =>
    Math.max(messages.length, Math.min(wanted, Math.floor(bytes / size)));
  const common = { port, style, connections, endlessBytes, opening, messages };
  if (!long) {
    const count = fitting(shortBytes, short[style]);
    return { ...common, perSecond: null, count, burst: Math.min(burst, count) };
  }
  return {
    ...common,
    perSecond: style === "endless" ? rate : fitting(bytesPerSecond, rate),
    count: null,
    burst: fitting(bytesPerSecond, burst),
  };
}
