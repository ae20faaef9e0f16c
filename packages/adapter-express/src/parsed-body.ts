import type { JsonBody } from "@device-gateway/core";
import { parseJsonBody } from "@device-gateway/core/node";
import type { Request } from "express";

/**
 * What a body parser mounted before the gateway left in `req.body`: a value (`express.json`),
 * text (`express.text`) or bytes (`express.raw`).
 * @throws {Error} when the stream was read and nothing was left of it: that is a wrong set-up.
 */
export async function readParsedBody(request: Request, limit: number): Promise<JsonBody> {
  const body: unknown = request.body;
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    return bytes.length > limit ? { kind: "too_large" } : parseJsonBody(bytes);
  }
  if (body === undefined) throw gone();
  return { kind: "value", value: body };
}

/**
 * The bytes that a body parser before the gateway read (`express.raw`), all at once.
 * @throws {Error} when it made something else of them, or left nothing: that is a wrong set-up.
 */
export async function* streamParsedBody(request: Request): AsyncGenerator<Uint8Array> {
  const body: unknown = request.body;
  if (!(body instanceof Uint8Array)) throw gone();
  yield body;
}

const gone = () =>
  new Error(
    "A middleware read the request's body and did not leave it in req.body as it came. Mount the gateway before it.",
  );
