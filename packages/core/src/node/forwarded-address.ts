import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { bareAddress } from "../throttle/bare-address.js";

/**
 * Returns the address of a request's client as proxies report it, without a port, or the peer's address if that
 * is no address.
 */
export function clientAddressOf(
  request: IncomingMessage,
  reported: string | null | undefined,
): string | null {
  const peer = request.socket.remoteAddress ?? null;
  if (reported === undefined || reported === null || reported === peer) return peer;
  return isIP(reported) === 0 ? (bareAddress(reported) ?? peer) : reported;
}

/**
 * The client's address: the peer's, or, behind so many proxies of your own, what the outermost of
 * them put into X-Forwarded-For. An entry that is no address is not believed.
 */
export function forwardedAddress(request: IncomingMessage, trustedProxies: number): string | null {
  if (trustedProxies === 0) return clientAddressOf(request, null);
  const header = request.headers["x-forwarded-for"];
  const chain = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  return clientAddressOf(request, chain.at(-trustedProxies)?.trim());
}
