import ipaddr from "ipaddr.js";
import { bareAddress } from "./bare-address.js";

/** Returns whether a client address is in one of the ranges. */
export type AddressRanges = (address: string | null) => boolean;

/**
 * Parses address ranges, such as `198.51.100.0/24`, `2001:db8::/48`, or a single address.
 * @throws {TypeError} if one of them is not a range, or contains all addresses.
 *
 * @example
 * const isProduction = createAddressRanges("productionAddresses", ["198.51.100.0/24"]);
 * isProduction("198.51.100.7"); // true
 */
export function createAddressRanges(name: string, ranges: readonly string[]): AddressRanges {
  const parsed = ranges.map((range) => {
    const [address = ""] = range.split("/");
    const isWhole = bareAddress(address) === address;
    const text = range.includes("/") ? range : `${range}/${address.includes(":") ? 128 : 32}`;
    if (!isWhole || !ipaddr.isValidCIDR(text) || text.endsWith("/0")) {
      throw new TypeError(
        `${name}: "${range}" is not an address range. Pass ranges such as "198.51.100.0/24" or "2001:db8::/48".`,
      );
    }
    return ipaddr.parseCIDR(text);
  });
  return (address) => {
    if (parsed.length === 0 || address === null) return false;
    const bare = bareAddress(address);
    if (bare === null) return false;
    const client = ipaddr.process(bare);
    return parsed.some(([base, bits]) => client.kind() === base.kind() && client.match(base, bits));
  };
}
