import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Global unicast addresses of IPv6 (RFC 4291). */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Returns whether an address is a public one: not private, loopback, link-local (with the metadata services of clouds),
 * multicast, reserved, or an IPv4 address inside an IPv6 address that leads to one of these.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** Thrown for an address that endpoints may not have. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  constructor(host: string) {
    super(`${host} has no public address`);
  }
}

/**
 * A `lookup` for sockets that returns public addresses only. The socket connects to what was checked, so a name that
 * resolves differently a moment later changes nothing.
 */
export const lookUpPublic: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const [first, ...others] = error ? [] : found.filter(({ address }) => isPublicAddress(address));
    if (error || first === undefined) {
      callback(error ?? new PrivateAddressError(host), "", 0);
    } else if (options.all === true) callback(null, [first, ...others]);
    else callback(null, first.address, first.family);
  });
};
