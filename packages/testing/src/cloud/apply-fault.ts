import type { GatewayResponse } from "@device-gateway/core";
import { ConnectionBrokenError, type Fault } from "./fault.js";

type Piece = string | Uint8Array<ArrayBuffer>;
type Of<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

async function* piecesOf(body: GatewayResponse["body"]): AsyncGenerator<Piece> {
  if (typeof body === "string") yield body;
  else yield* body as AsyncIterable<Piece>;
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

async function* slowly(
  pieces: AsyncIterable<Piece>,
  { pieceBytes, everyMs }: Of<"slow">,
): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += pieceBytes) {
      await wait(everyMs);
      yield piece.slice(at, at + pieceBytes);
    }
  }
}

async function* cutOff(
  pieces: AsyncIterable<Piece>,
  { afterBytes }: Of<"cut">,
): AsyncGenerator<Piece> {
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

function flip(piece: Piece, at: number): Piece {
  if (typeof piece !== "string") return piece.map((byte, i) => (i === at ? byte ^ 1 : byte));
  const other = String.fromCharCode(piece.charCodeAt(at) ^ 1);
  return piece.slice(0, at) + other + piece.slice(at + 1);
}

async function* corrupt(
  pieces: AsyncIterable<Piece>,
  { atByte }: Of<"corrupted">,
): AsyncGenerator<Piece> {
  let seen = 0;
  let held: Piece | undefined;
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
async function* endAt(pieces: AsyncIterable<Piece>, announced: number): AsyncGenerator<Piece> {
  let sent = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
    const rest = announced - sent;
    sent += bytes.length;
    if (rest <= 0 || bytes.length <= rest) {
      yield bytes;
      continue;
    }
    yield bytes.slice(0, rest);
    yield bytes.slice(rest);
  }
  if (sent < announced)
    throw new ConnectionBrokenError("The connection ended before the announced length.");
}

function announceWrongLength(response: GatewayResponse, { by }: Of<"wrong_length">) {
  const { body, headers } = response;
  const length =
    typeof body === "string"
      ? new TextEncoder().encode(body).length
      : Number(headers["content-length"]);
  // A live stream has no length, and 204 and 304 have no body.
  if (!(length > 0)) return response;
  const announced = Math.max(0, length + by);
  return {
    ...response,
    headers: { ...headers, "content-length": String(announced), connection: "close" },
    body: endAt(piecesOf(body), announced),
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
  const pieces = () => piecesOf(response.body);
  const toBody = (changed: AsyncIterable<Piece>) => changed as AsyncIterable<string>;
  switch (fault.kind) {
    case "delayed":
      await wait(fault.ms);
      return response;
    case "slow":
      return { ...response, body: toBody(slowly(pieces(), fault)) };
    case "cut":
      return { ...response, body: toBody(cutOff(pieces(), fault)) };
    case "corrupted":
      return { ...response, body: toBody(corrupt(pieces(), fault)) };
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
