import type { GatewayResponse } from "@device-gateway/core";

/** What can go wrong between a device and its cloud. */
export type Fault =
  /** The request never arrives. */
  | { readonly kind: "unreachable" }
  /** The request is handled; the connection breaks before the answer. */
  | { readonly kind: "lost_answer" }
  /** 503 with Retry-After; nothing is handled. */
  | { readonly kind: "unavailable"; readonly retryAfterSeconds: number }
  /** The body comes in pieces of so many bytes, each after so many real milliseconds. */
  | { readonly kind: "slow"; readonly pieceBytes: number; readonly everyMs: number }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** One bit of the body is another, at this byte or, in a shorter body, the last. */
  | { readonly kind: "corrupted"; readonly atByte: number };

/** The connection broke: no answer, or not all of it. */
export class ConnectionBrokenError extends TypeError {
  override readonly name = "ConnectionBrokenError";
}

type Piece = string | Uint8Array<ArrayBuffer>;

async function* piecesOf(body: GatewayResponse["body"]): AsyncGenerator<Piece> {
  if (typeof body === "string") yield body;
  else yield* body as AsyncIterable<Piece>;
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

async function* slowly(
  pieces: AsyncIterable<Piece>,
  { pieceBytes, everyMs }: Extract<Fault, { kind: "slow" }>,
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
  { afterBytes }: Extract<Fault, { kind: "cut" }>,
): AsyncGenerator<Piece> {
  let left = afterBytes;
  for await (const piece of pieces) {
    // At once, not when the next piece comes: a live stream's may be long in coming.
    if (piece.length >= left) {
      if (left > 0) yield piece.slice(0, left);
      throw new ConnectionBrokenError("The answer was cut off.");
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
  { atByte }: Extract<Fault, { kind: "corrupted" }>,
): AsyncGenerator<Piece> {
  let seen = 0;
  let held: Piece | undefined;
  let done = false;
  // A piece is held back until it is known whether it is the last.
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    const at = atByte - seen;
    seen += piece.length;
    const isHere: boolean = !done && at < piece.length;
    held = isHere ? flip(piece, at) : piece;
    done ||= isHere;
  }
  if (held !== undefined) yield done ? held : flip(held, held.length - 1);
}

/** Lets an answer through as a fault leaves it. */
export function spoil(response: GatewayResponse, fault: Fault): GatewayResponse {
  const pieces = piecesOf(response.body);
  const toBody = (spoiled: AsyncIterable<Piece>) => spoiled as AsyncIterable<string>;
  switch (fault.kind) {
    case "unreachable":
    case "unavailable":
    case "lost_answer":
      return response;
    case "slow":
      return { ...response, body: toBody(slowly(pieces, fault)) };
    case "cut":
      return { ...response, body: toBody(cutOff(pieces, fault)) };
    case "corrupted":
      return { ...response, body: toBody(corrupt(pieces, fault)) };
  }
}
