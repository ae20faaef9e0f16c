import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../bytes.js";
import { type OpenApiOptions, routes, toOpenApi } from "../contract/index.js";

export interface OpenApiDocument {
  readonly body: ReturnType<typeof toOpenApi>;
  /** The body as it is sent. */
  readonly json: string;
  /** A strong ETag: a hash of what is sent (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Describes the API, serialised once for all requests. */
export function createOpenApiDocument(options: OpenApiOptions): OpenApiDocument {
  const body = toOpenApi(routes, options);
  const json = JSON.stringify(body);
  return { body, json, etag: `"${toBase64Url(sha256(toUtf8(json)))}"` };
}
