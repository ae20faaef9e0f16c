import { CONNREFUSED, type LookupAddress, NODATA, NOTFOUND } from "node:dns";
import { Resolver } from "node:dns/promises";
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
 * Whether an error says that a name has no such address, or that no name server runs. A server that does not answer, or
 * that answers with a failure, may take as long when it is asked again.
 */
export const isUnknownName = (error: unknown): boolean =>
  [NOTFOUND, NODATA, CONNREFUSED].some((code) => (error as NodeJS.ErrnoException).code === code);

/** Asks the name servers for the addresses of a name. Returns none for a name of this machine. Rejects if there are none. */
export async function resolveName(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  // Names of this machine (RFC 6761, section 6.3). Name servers are not asked about them.
  if (/(^|\.)localhost\.?$/i.test(host)) return [];
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addressesOf = (
    found: PromiseSettledResult<string[]>,
    family: 4 | 6,
  ): readonly LookupAddress[] =>
    found.status === "rejected" ? [] : found.value.map((address) => ({ address, family }));
  const all = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  const errors = [four, six].flatMap((found) =>
    found.status === "rejected" ? [found.reason as Error] : [],
  );
  // The name is unknown only if both say so.
  const error = errors.find((each) => !isUnknownName(each)) ?? errors[0];
  if (all.length === 0 && error !== undefined) throw error;
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
