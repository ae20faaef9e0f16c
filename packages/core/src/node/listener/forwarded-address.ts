import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { addressName, siteName } from "../../throttle/address-name.js";
import { bareAddress } from "../../throttle/bare-address.js";

/**
 * Returns the client's address as proxies report it, without its port. Returns the peer's address if the reported
 * text is not an address.
 *
 * @example
 * // In an adapter, with an address that the framework derived from proxy headers:
 * const clientAddress = clientAddressOf(request, framework.ip);
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
 * Returns the client's address: the peer's, or, behind a number of trusted proxies, the X-Forwarded-For entry that the
 * outermost of them appended. Returns the peer's address if that entry is not an address.
 *
 * @example
 * // Behind one proxy:
 * const clientAddress = forwardedAddress(request, 1);
 */
export function forwardedAddress(request: IncomingMessage, trustedProxies: number): string | null {
  if (trustedProxies === 0) return clientAddressOf(request, null);
  const header = request.headers["x-forwarded-for"];
  const chain = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  return clientAddressOf(request, chain.at(-trustedProxies)?.trim());
}

/**
 * Returns the site of a client address, which has one holder: an IPv4 address itself, or the /48 network of an IPv6
 * address. Use it as a key where clients take turns.
 *
 * @example
 * clientSiteOf("2001:db8:7:1::2"); // "2001:db8:7::/48"
 */
export const clientSiteOf = (address: string | null): string => siteName(addressName(address));
