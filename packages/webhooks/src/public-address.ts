import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Global unicast addresses of IPv6 (RFC 4291). */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Returns whether an address is a public one: not private, loopback, link-local (with the metadata services of clouds),
 * multicast, reserved, or an IPv4 address inside an IPv6 address that leads to one of these.
 *
 * @example
 * isPublicAddress("8.8.8.8"); // true
 * isPublicAddress("169.254.169.254"); // false
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

/** Returns the addresses of a name. Rejects if there are none. */
async function resolveName(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  // Names of this machine (RFC 6761, section 6.3). Name servers are not asked about them.
  if (/(^|\.)localhost\.?$/i.test(host)) return [];
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addressesOf = (
    found: PromiseSettledResult<string[]>,
    family: 4 | 6,
  ): readonly LookupAddress[] =>
    found.status === "rejected" ? [] : found.value.map((address) => ({ address, family }));
  const all = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (all.length === 0 && four.status === "rejected") throw four.reason as Error;
  return all;
}

/**
 * Creates a `lookup` for sockets that returns public addresses only. The socket connects to what was checked, so a name
 * that resolves differently a moment later changes nothing. It asks the name servers itself: the system's resolver has
 * two threads in the whole process, and a name whose server does not answer would hold one of them for many seconds.
 */
export function createPublicLookup(resolver: Resolver): LookupFunction {
  return (host, options, callback) => {
    resolveName(resolver, host).then(
      (found) => {
        const [first, ...others] = found.filter(({ address }) => isPublicAddress(address));
        if (first === undefined) callback(new PrivateAddressError(host), "", 0);
        else if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, "", 0),
    );
  };
}

let shared: LookupFunction | undefined;

/** The lookup of all endpoints, by the name servers of the system. */
export const lookUpPublic: LookupFunction = (...call) => {
  shared ??= createPublicLookup(new Resolver({ timeout: 2_000, tries: 2 }));
  shared(...call);
};
