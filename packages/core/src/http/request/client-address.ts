import { bareAddress } from "../../throttle/bare-address.js";

/**
 * Returns the client's address of a request, or null if it is unknown. `Context` is what the runtime passes to a fetch
 * handler after the request.
 */
export type ClientAddress<Context extends readonly unknown[]> = (
  request: Request,
  ...context: Context
) => string | null;

/** The method of a Bun server that returns a client's address. */
interface BunServer {
  requestIP(request: Request): { readonly address: string } | null;
}

/**
 * Returns the address of the connection on Bun. Behind a proxy, use `forwardedForAddress` instead.
 * @example
 * Bun.serve({ fetch: toFetchHandler(gateway, { clientAddress: bunAddress }) });
 */
export const bunAddress = (request: Request, server: BunServer): string | null =>
  server.requestIP(request)?.address ?? null;

/** The part of Deno's handler info that has the address. It has none for a Unix socket. */
interface DenoInfo {
  readonly remoteAddr: object;
}

/**
 * Returns the address of the connection on Deno. Behind a proxy, use `forwardedForAddress` instead.
 * @example
 * Deno.serve(toFetchHandler(gateway, { clientAddress: denoAddress }));
 */
export function denoAddress(_: Request, { remoteAddr }: DenoInfo): string | null {
  const { hostname } = remoteAddr as { readonly hostname?: string };
  return hostname ?? null;
}

/**
 * Creates a function that reads the client's address from X-Forwarded-For: the one that your outermost proxy saw. Each of
 * your proxies must append to the header. If the number is wrong, clients can choose their address and avoid limits.
 * @param trustedProxies the number of your own proxies in front of the server, 1 or more.
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
 * Creates a function that reads the client's address from a header. Your platform must set the header on every request,
 * and clients must not be able to set it, such as `cf-connecting-ip` on Cloudflare Workers.
 * @example
 * toFetchHandler(gateway, { clientAddress: headerAddress("cf-connecting-ip") });
 */
export const headerAddress =
  (name: string): ClientAddress<[]> =>
  (request) =>
    bareAddress(request.headers.get(name) ?? "") ?? null;
