import type { IncomingMessage, ServerResponse } from "node:http";
import { renderFailure } from "../../http/render.js";
import { createRequestIds } from "../../http/request/request-id.js";
import { systemRandom } from "../../ports/random.js";

const requestIdOf = createRequestIds(systemRandom);

/** Returns whether a request has more than one Host header. Node's `headers` contains only the first. */
export function repeatsHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/**
 * Responds with 400 and closes the connection, because proxies may disagree on the request's host (RFC 9112, section
 * 3.2).
 */
export function refuseRepeatedHost({ headers }: IncomingMessage, response: ServerResponse): void {
  const id = headers["x-request-id"];
  const message = "The header was sent more than once. Send one Host header.";
  const {
    status,
    headers: fields,
    body,
  } = renderFailure(
    { code: "invalid_request", errors: [{ path: "host", code: "invalid", message }] },
    requestIdOf(Array.isArray(id) ? id.join(", ") : id),
  );
  response.writeHead(status, { ...fields, connection: "close" }).end(body);
}
