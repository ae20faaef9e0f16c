import type { GatewayResponse } from "@device-gateway/core";
import { ConnectionBrokenError, type Fault } from "./fault.js";

type Of<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

const encoder = new TextEncoder();

async function* bytesOf(body: GatewayResponse["body"]): AsyncGenerator<Uint8Array> {
  if (typeof body === "string") {
    yield encoder.encode(body);
    return;
  }
  for await (const piece of body) yield typeof piece === "string" ? encoder.encode(piece) : piece;
}

/**
 * Changes the bytes of a body. A text keeps the Content-Length with which the server sends it: transports send a stream
 * without its length in chunks.
 */
function changeBody(
  response: GatewayResponse,
  change: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): GatewayResponse {
  const { body, headers } = response;
  // 204 and 304 have no body and no length.
  const isText = typeof body === "string" && body !== "";
  const length = isText && { "content-length": String(encoder.encode(body).length) };
  return { ...response, headers: { ...length, ...headers }, body: change(bytesOf(body)) };
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

async function* slowly(
  pieces: AsyncIterable<Uint8Array>,
  { pieceBytes, everyMs }: Of<"slow">,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += pieceBytes) {
      await wait(everyMs);
      yield piece.slice(at, at + pieceBytes);
    }
  }
}

async function* cutOff(
  pieces: AsyncIterable<Uint8Array>,
  { afterBytes }: Of<"cut">,
): AsyncGenerator<Uint8Array> {
  let left = afterBytes;
  for await (const piece of pieces) {
    // Breaks now, because the next piece of a live stream can take long.
    if (piece.length >= left) {
      if (left > 0) yield piece.slice(0, left);
      throw new ConnectionBrokenError("The connection broke within the response.");
    }
    left -= piece.length;
    yield piece;
  }
}

const flip = (piece: Uint8Array, at: number): Uint8Array =>
  piece.map((byte, place) => (place === at ? byte ^ 1 : byte));

async function* corrupt(
  pieces: AsyncIterable<Uint8Array>,
  { atByte }: Of<"corrupted">,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  let held: Uint8Array | undefined;
  let done = false;
  // Holds back each piece until it is known whether it is the last.
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    const at = atByte - seen;
    seen += piece.length;
    const isTarget: boolean = !done && at < piece.length;
    held = isTarget ? flip(piece, at) : piece;
    done ||= isTarget;
  }
  if (held !== undefined) yield done ? held : flip(held, held.length - 1);
}

/** Sends the bytes beyond the announced length separately, so that a reader can stop before them. */
async function* endAt(
  pieces: AsyncIterable<Uint8Array>,
  announced: number,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of pieces) {
    const rest = announced - sent;
    sent += piece.length;
    if (rest <= 0 || piece.length <= rest) {
      yield piece;
      continue;
    }
    yield piece.slice(0, rest);
    yield piece.slice(rest);
  }
  if (sent < announced)
    throw new ConnectionBrokenError("The connection ended before the announced length.");
}

function announceWrongLength(response: GatewayResponse, { by }: Of<"wrong_length">) {
  const { body, headers } = response;
  const length =
    typeof body === "string" ? encoder.encode(body).length : Number(headers["content-length"]);
  // A live stream has no length, and 204 and 304 have no body.
  if (!(length > 0)) return response;
  const announced = Math.max(0, length + by);
  return {
    ...response,
    headers: { ...headers, "content-length": String(announced), connection: "close" },
    body: endAt(bytesOf(body), announced),
  };
}

function shiftTime(response: GatewayResponse, { offsetMs }: Of<"wrong_time">, now: number) {
  const shift = (time: number) => new Date(time + offsetMs);
  const headers = { ...response.headers, date: shift(now).toUTCString() };
  if (typeof response.body !== "string") return { ...response, headers };
  const body = response.body.replace(
    /"serverTime":"([^"]+)"/,
    (_, time: string) => `"serverTime":"${shift(Date.parse(time)).toISOString()}"`,
  );
  return { ...response, headers, body };
}

/** Applies a fault to a response of the gateway. `now` is the cloud's time in epoch milliseconds. */
export async function applyFault(
  response: GatewayResponse,
  fault: Fault,
  now: number,
): Promise<GatewayResponse> {
  switch (fault.kind) {
    case "delayed":
      await wait(fault.ms);
      return response;
    case "slow":
      return changeBody(response, (pieces) => slowly(pieces, fault));
    case "cut":
      return changeBody(response, (pieces) => cutOff(pieces, fault));
    case "corrupted":
      return changeBody(response, (pieces) => corrupt(pieces, fault));
    case "wrong_length":
      return announceWrongLength(response, fault);
    case "wrong_time":
      return shiftTime(response, fault, now);
    case "lost_answer":
      throw new ConnectionBrokenError("The connection broke before the response arrived.");
    default:
      return response;
  }
}
