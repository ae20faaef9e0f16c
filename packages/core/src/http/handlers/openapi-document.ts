import { sha256 } from "@noble/hashes/sha2.js";
import { type OpenApiOptions, routes, toOpenApi } from "../../contract/index.js";
import { toBase64Url, toUtf8 } from "../../shared/bytes.js";
import { JsonText } from "../../shared/json-text.js";

export interface OpenApiDocument {
  readonly body: JsonText<ReturnType<typeof toOpenApi>>;
  /** A strong ETag: a hash of the serialised document (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Creates the OpenAPI document, serialised once for all requests. */
export function createOpenApiDocument(options: OpenApiOptions): OpenApiDocument {
  const text = JSON.stringify(toOpenApi(routes, options));
  return { body: new JsonText(text), etag: `"${toBase64Url(sha256(toUtf8(text)))}"` };
}
