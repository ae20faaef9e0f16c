import type { IncomingMessage, ServerResponse } from "node:http";
import { renderFailure } from "../../http/render.js";
import { createRequestIds } from "../../http/request/request-id.js";
import { systemRandom } from "../../ports/random.js";

const requestIdOf = createRequestIds(systemRandom);

/** Counts the Host headers of a request. Node's `headers` contains only the first. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts;
}

/** Returns what is wrong with the Host headers of an HTTP/1 request, or undefined (RFC 9112, section 3.2). */
export function findHostFault(request: IncomingMessage): string | undefined {
  const hosts = countHosts(request);
  if (hosts > 1) return "The header was sent more than once. Send one Host header.";
  // Some runtimes have no `rawHeaders`.
  if (hosts === 1 || request.headers.host !== undefined || request.httpVersion === "1.0") {
    return undefined;
  }
  return "Missing. Send one Host header.";
}

/** Responds with 400 and closes the connection, because proxies may disagree on the request's host. */
export function refuseHost(
  { headers }: IncomingMessage,
  response: ServerResponse,
  message: string,
): void {
  const id = headers["x-request-id"];
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
