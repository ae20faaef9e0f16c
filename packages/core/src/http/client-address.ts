import { bareAddress } from "../throttle/bare-address.js";

/**
 * Returns the client's address of a request, or null if it is unknown. `Context` is what the runtime passes to a fetch
 * handler after the request.
 */
export type ClientAddress<Context extends readonly unknown[]> = (
  request: Request,
  ...context: Context
) => string | null;

/** The part of a Bun server that knows addresses. */
interface BunServer {
  requestIP(request: Request): { readonly address: string } | null;
}

/**
 * The address of the connection on Bun. A proxy in front hides the clients' addresses: use `forwardedForAddress` then.
 * @example
 * Bun.serve({ fetch: toFetchHandler(gateway, { clientAddress: bunAddress }) });
 */
export const bunAddress = (request: Request, server: BunServer): string | null =>
  server.requestIP(request)?.address ?? null;

/** The part of Deno's handler info that knows addresses. A Unix socket has none. */
interface DenoInfo {
  readonly remoteAddr: object;
}

/**
 * The address of the connection on Deno. A proxy in front hides the clients' addresses: use `forwardedForAddress` then.
 * @example
 * Deno.serve(toFetchHandler(gateway, { clientAddress: denoAddress }));
 */
export function denoAddress(_: Request, { remoteAddr }: DenoInfo): string | null {
  const { hostname } = remoteAddr as { readonly hostname?: string };
  return hostname ?? null;
}

/**
 * The address that the outermost of your own proxies saw, from X-Forwarded-For. Each of them must append to the header.
 * Without them, or with a wrong number, clients can choose their address and avoid limits.
 * @param trustedProxies the number of your proxies in front of the server, 1 or more.
 * @example
 * toFetchHandler(gateway, { clientAddress: forwardedForAddress(1) }); // in a Next route handler
 */
export function forwardedForAddress(trustedProxies: number): ClientAddress<[]> {
  if (!Number.isSafeInteger(trustedProxies) || trustedProxies < 1) {
    throw new TypeError(
      "forwardedForAddress: pass the number of your own proxies in front of the server, 1 or more.",
    );
  }
  return (request) => {
    const chain = request.headers.get("x-forwarded-for")?.split(",");
    return bareAddress(chain?.at(-trustedProxies)?.trim() ?? "") ?? null;
  };
}

/**
 * The address in a header that your platform sets on every request and that clients cannot set, such as
 * `cf-connecting-ip` on Cloudflare Workers.
 * @example
 * toFetchHandler(gateway, { clientAddress: headerAddress("cf-connecting-ip") });
 */
export const headerAddress =
  (name: string): ClientAddress<[]> =>
  (request) =>
    bareAddress(request.headers.get(name) ?? "") ?? null;
