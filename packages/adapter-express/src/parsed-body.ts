import type { JsonBody } from "@device-gateway/core";
import { parseJsonBody } from "@device-gateway/core/node";
import type { Request } from "express";

/** Returns the length of a value as JSON in bytes. Infinity if it is nested too deeply, or too long, to be written. */
function measure(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/**
 * Returns the JSON body that a parser before the gateway left in `req.body`: a value (`express.json`), text
 * (`express.text`) or bytes (`express.raw`). A value whose request has no `Content-Length` is measured as JSON without
 * whitespace.
 * @throws {Error} if the stream was read but `req.body` is missing. The middleware order is wrong then.
 */
export async function readParsedBody(request: Request, limit: number): Promise<JsonBody> {
  const body: unknown = request.body;
  // An empty stream has no data. For it, express.json leaves an object.
  if (!request.readableDidRead) return { kind: "absent" };
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    return bytes.length > limit ? { kind: "too_large" } : parseJsonBody(bytes);
  }
  if (body === undefined) throw createMissingBodyError();
  if (request.headers["content-length"] !== undefined) return { kind: "value", value: body };
  const length = measure(body);
  return length > limit ? { kind: "too_large" } : { kind: "value", value: body, length };
}

/**
 * Yields the bytes that a parser before the gateway (`express.raw`) left in `req.body`, in one piece.
 * @throws {Error} if `req.body` is missing or is not bytes. The middleware order is wrong then.
 */
export async function* streamParsedBody(request: Request): AsyncGenerator<Uint8Array> {
  const body: unknown = request.body;
  if (!(body instanceof Uint8Array)) throw createMissingBodyError();
  yield body;
}

const createMissingBodyError = () =>
  new Error(
    "A middleware read the request body and did not leave it unchanged in req.body. Mount the gateway before it.",
  );
