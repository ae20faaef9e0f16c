import type { RequestHandler, Request as ServerRequest, Response as ServerResponse } from "express";
import { sendProblem } from "../send-problem.js";
import { setClientAddress } from "./client-address.js";
import { readBody } from "./read-body.js";

/** Bytes of the largest body of an account route: an order of magnitude above the longest form. */
const bodyLimit = 16_384;

const tooLarge = {
  status: 413,
  code: "payload_too_large",
  detail: `The body is larger than ${bodyLimit} bytes, which no account route needs. Send less.`,
};

function toHeaders({ headers }: ServerRequest): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Headers(pairs);
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const cookies = answer.headers.getSetCookie();
  const headers = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, {
    ...headers,
    ...(cookies.length > 0 && { "set-cookie": cookies }),
  });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/**
 * Makes a handler of the accounts a handler of Express. It reads at most 16 KB of a body before the accounts see any of
 * it, and takes the origin from the settings: a Host header may not change the URL.
 */
export function createAuthListener(
  handle: (request: Request) => Promise<Response>,
  url: string,
): RequestHandler {
  const { origin } = new URL(url);
  const answer = async (request: ServerRequest, response: ServerResponse) => {
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
  return (request, response, next) => void answer(request, response).catch(next);
}
