import type { RequestHandler, Request as ServerRequest, Response as ServerResponse } from "express";
import { readBody } from "../http/read-body.js";
import { sendProblem } from "../http/send-problem.js";
import { setClientAddress } from "./client-address.js";
import type { PasswordQueue } from "./password/password-queue.js";

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
  // better-auth's limits send `X-Retry-After` instead of `Retry-After` (RFC 9110, section 10.2.3).
  const wait = headers["x-retry-after"];
  response.writeHead(result.status, {
    ...headers,
    ...(wait !== undefined && { "retry-after": wait }),
    ...(cookies.length > 0 && { "set-cookie": cookies }),
  });
  response.end(Buffer.from(await result.arrayBuffer()));
}

/**
 * Turns the accounts' fetch handler into an Express handler. It reads at most 16 KB of the body before it calls the
 * accounts, and takes the origin from `url`, so that a Host header cannot change it.
 */
export function createAuthListener(
  auth: { readonly handler: (request: Request) => Promise<Response> },
  queue: PasswordQueue,
  url: string,
): RequestHandler {
  const { origin } = new URL(url);
  const respond = async (request: ServerRequest, response: ServerResponse) => {
    const { method } = request;
    const site = setClientAddress(request);
    const isRead = method === "GET" || method === "HEAD";
    const body = await readBody(request, bodyLimit);
    if (body === "broken_off") return;
    if (body === "too_large") return sendProblem(request, response, tooLarge);
    response.setHeader("cache-control", "no-store");
    const { pathname, search } = new URL(request.originalUrl, origin);
    const headers = toHeaders(request);
    const hasBody = !isRead && headers.has("content-type") && body.length > 0;
    const init = { method, headers, ...(hasBody && { body }) };
    const call = new Request(origin + pathname + search, init);
    const result = await queue.within(site, () => auth.handler(call));
    // The caller logs this answer of better-auth, which has logged the cause. The response must not reveal them.
    if (result.status === 500) throw new Error(`The accounts failed: ${await result.text()}`);
    await send(result, response);
  };
  return (request, response, next) => void respond(request, response).catch(next);
}
