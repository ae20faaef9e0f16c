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
  if (body === undefined) {
    throw new Error(
      "A middleware read the request's body and left nothing in req.body. Mount the gateway before it.",
    );
  }
  return { kind: "value", value: body };
}
