import { sha256 } from "@noble/hashes/sha2.js";
import { type OpenApiOptions, routes, toOpenApi } from "../../contract/index.js";
import { toBase64Url, toUtf8 } from "../../shared/bytes.js";
import { JsonBytes } from "../../shared/json-bytes.js";

export interface OpenApiDocument {
  readonly body: JsonBytes<ReturnType<typeof toOpenApi>>;
  /** A strong ETag: a hash of the serialised document (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Creates the OpenAPI document, serialised once for all requests. */
export function createOpenApiDocument(options: OpenApiOptions): OpenApiDocument {
  const bytes = toUtf8(JSON.stringify(toOpenApi(routes, options)));
  return { body: new JsonBytes([bytes]), etag: `"${toBase64Url(sha256(bytes))}"` };
}
