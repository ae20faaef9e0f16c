import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { SinkSettings } from "./sink-options.js";

const compress = promisify(gzip);

export type SendOutcome =
  | { readonly kind: "accepted" }
  /** The receiver will never accept all of these lines. It may have stored some of them. */
  | { readonly kind: "rejected"; readonly status: number; readonly reason: string };

/** The receiver did not answer, or cannot take lines now. They may be sent again. */
export class ReceiverUnavailableError extends Error {
  override readonly name = "ReceiverUnavailableError";
  /** How long the receiver asks to wait, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Receiver {
  /** Sends lines. Rejects with `ReceiverUnavailableError` if they may be sent again. */
  send(lines: readonly string[], signal: AbortSignal): Promise<SendOutcome>;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number;
}

/** Malformed lines, too large a body, and values that the receiver refuses. Any other 4xx is about the URL or the token. */
const ofLines: ReadonlySet<number> = new Set([400, 413, 422]);
/** Characters of a response that are kept. */
const reasonLength = 300;

/** Returns the message of an error, or those of all addresses of a name that could not be reached. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(". ");
  return error instanceof Error ? error.message : String(error);
}

/** Reads a response, and keeps the beginning of its body. */
async function readAnswer(response: IncomingMessage): Promise<Answer> {
  response.setEncoding("utf8");
  let text = "";
  for await (const piece of response) {
    if (text.length < reasonLength) text += piece as string;
  }
  const seconds = Number(response.headers["retry-after"] ?? 0);
  return {
    status: response.statusCode ?? 0,
    reason: text.slice(0, reasonLength).trim(),
    retryAfterMs: seconds > 0 ? seconds * 1_000 : 0,
  };
}

/** Calls back when the connection ends, unless the receiver announced it. */
function createWatch(onDisconnected: () => void) {
  const announced = new WeakSet<Socket>();
  const watched = new WeakSet<Socket>();
  return {
    watch(socket: Socket) {
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.once("close", () => {
        if (!announced.has(socket)) onDisconnected();
      });
    },
    readHeaders({ headers, socket }: IncomingMessage) {
      if (headers.connection?.toLowerCase() === "close") announced.add(socket);
    },
  };
}

/**
 * Creates the client of the write API of InfluxDB 1 or 2. It sends one request at a time over one connection, compressed with
 * gzip. It follows no redirect, because another server must not get the token. It calls `onDisconnected` when the
 * receiver may have crashed: a connection ended, or a proxy reports that it cannot reach the receiver.
 */
export function createReceiver(
  { url, headers, timeoutMs }: Pick<SinkSettings, "url" | "headers" | "timeoutMs">,
  onDisconnected: () => void,
): Receiver {
  const { Agent, request } = url.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // By default, Node gives up an address after 250 ms if the name has another one, reachable or not.
  const socketOptions = { autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / 3) };
  const { watch, readHeaders } = createWatch(onDisconnected);

  function post(body: Buffer, stop: AbortSignal): Promise<Answer> {
    const sent = {
      "content-type": "text/plain; charset=utf-8",
      "content-encoding": "gzip",
      "content-length": body.length,
      ...headers,
    };
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    return new Promise((resolve, reject) => {
      const options = { method: "POST", agent, headers: sent, signal, ...socketOptions };
      const outgoing = request(url, options);
      outgoing.once("socket", watch);
      outgoing.once("error", reject);
      outgoing.once("response", (response) => {
        readHeaders(response);
        readAnswer(response).then(resolve, reject);
      });
      outgoing.end(body);
    });
  }

  return {
    async send(lines, stop) {
      const body = await compress(lines.join("\n"));
      const answer = await post(body, stop).catch((cause: unknown) => {
        onDisconnected();
        const message = `The receiver did not answer: ${messageOf(cause)}`;
        throw new ReceiverUnavailableError(message, 0, { cause });
      });
      const { status, reason, retryAfterMs } = answer;
      if (status >= 200 && status < 300) return { kind: "accepted" };
      if (ofLines.has(status)) return { kind: "rejected", status, reason };
      if (status >= 500) onDisconnected();
      throw new ReceiverUnavailableError(
        `The receiver answered ${status}: ${reason}`,
        retryAfterMs,
      );
    },
    close: () => agent.destroy(),
  };
}
