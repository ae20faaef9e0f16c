import type { RequestHandler, Request as ServerRequest, Response as ServerResponse } from "express";
import { sendProblem } from "../send-problem.js";
import { setClientAddress } from "./client-address.js";
import { readBody } from "./read-body.js";

/** The largest body of an account request in bytes, an order of magnitude above the longest form. */
const bodyLimit = 16_384;

const tooLarge = {
  status: 413,
  code: "payload_too_large",
  detail: `The body is larger than ${bodyLimit} bytes. Send a smaller one.`,
};

function toHeaders({ headers }: ServerRequest): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Headers(pairs);
}

async function send(result: Response, response: ServerResponse): Promise<void> {
  const cookies = result.headers.getSetCookie();
  const headers = Object.fromEntries(result.headers);
  response.writeHead(result.status, {
    ...headers,
    ...(cookies.length > 0 && { "set-cookie": cookies }),
  });
  response.end(Buffer.from(await result.arrayBuffer()));
}

/**
 * Turns the accounts' fetch handler into an Express handler. It reads at most 16 KB of the body before it calls the
 * accounts, and takes the origin from `url`, so that a Host header cannot change it.
 */
export function createAuthListener(
  handle: (request: Request) => Promise<Response>,
  url: string,
): RequestHandler {
  const { origin } = new URL(url);
  const respond = async (request: ServerRequest, response: ServerResponse) => {
    const body = await readBody(request, bodyLimit);
    if (body === "broken_off") return;
    if (body === "too_large") return sendProblem(request, response, tooLarge);
    setClientAddress(request);
    response.setHeader("cache-control", "no-store");
    const { pathname, search } = new URL(request.originalUrl, origin);
    const { method } = request;
    const headers = toHeaders(request);
    const hasBody =
      method !== "GET" && method !== "HEAD" && headers.has("content-type") && body.length > 0;
    const init = { method, headers, ...(hasBody && { body }) };
    await send(await handle(new Request(origin + pathname + search, init)), response);
  };
  return (request, response, next) => void respond(request, response).catch(next);
}
