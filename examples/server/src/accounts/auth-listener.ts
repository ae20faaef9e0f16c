import type { RequestHandler, Request as ServerRequest, Response as ServerResponse } from "express";
import { readBody } from "../http/read-body.js";
import { sendProblem } from "../http/send-problem.js";
import { setClientAddress } from "./client-address.js";
import type { PasswordQueue } from "./password/password-queue.js";
import { BusyError } from "./password/site-turns.js";
import { passwordPaths } from "./served-paths.js";

/** The largest body of an account request in bytes, an order of magnitude above the longest form. */
const bodyLimit = 16_384;

const tooLarge = {
  status: 413,
  code: "payload_too_large",
  detail: `The body is larger than ${bodyLimit} bytes. Send a smaller one.`,
};

const tooManyPasswords = {
  status: 429,
  code: "TOO_MANY_PASSWORDS",
  detail: "Too many passwords of your network are being checked. Try again in a few seconds.",
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
 * accounts, and takes the origin from `url`, so that a Host header cannot change it. Requests with a password wait for
 * their site's turn.
 */
export function createAuthListener(
  auth: { readonly handler: (request: Request) => Promise<Response> },
  queue: PasswordQueue,
  url: string,
): RequestHandler {
  const { origin } = new URL(url);
  const handle = async (site: string, call: Request, response: ServerResponse) => {
    const path = new URL(call.url).pathname.slice("/api/auth".length);
    if (!passwordPaths.has(path)) return auth.handler(call);
    return queue.take(site, async () =>
      response.destroyed ? ("given_up" as const) : auth.handler(call),
    );
  };
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
    const result = await handle(site, call, response).catch((error: unknown) => {
      if (!(error instanceof BusyError)) throw error;
      return "busy" as const;
    });
    if (result === "given_up") return;
    if (result === "busy") {
      response.setHeader("retry-after", "5");
      return sendProblem(request, response, tooManyPasswords);
    }
    // The caller logs it. The response must not reveal the cause.
    if (result.status === 500) throw new Error(`The accounts failed: ${await result.text()}`);
    await send(result, response);
  };
  return (request, response, next) => void respond(request, response).catch(next);
}
