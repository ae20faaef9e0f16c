import type { GatewayResponse } from "@device-gateway/core";

/** A fault between a device and its cloud. */
export type Fault =
  /** The request never arrives. */
  | { readonly kind: "unreachable" }
  /** The gateway handles the request, but the connection breaks before the response. */
  | { readonly kind: "lost_answer" }
  /** The response is 503 with Retry-After. The gateway does not handle the request. */
  | { readonly kind: "unavailable"; readonly retryAfterSeconds: number }
  /** The body arrives in pieces of `pieceBytes` bytes, each after a delay of `everyMs` real milliseconds. */
  | { readonly kind: "slow"; readonly pieceBytes: number; readonly everyMs: number }
  /** The connection breaks after `afterBytes` bytes of the body. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** One bit of the body is flipped: in byte `atByte`, or in the last byte of a shorter body. */
  | { readonly kind: "corrupted"; readonly atByte: number };

/** The connection broke before the whole response arrived. */
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
  { atByte }: Extract<Fault, { kind: "corrupted" }>,
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

/** Applies a fault to the body of a response. */
export function applyFault(response: GatewayResponse, fault: Fault): GatewayResponse {
  const pieces = piecesOf(response.body);
  const toBody = (changed: AsyncIterable<Piece>) => changed as AsyncIterable<string>;
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
