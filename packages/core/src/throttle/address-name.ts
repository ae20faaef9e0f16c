import ipaddr from "ipaddr.js";
import { bareAddress } from "./bare-address.js";

/**
 * Names the holder of an address, for counting. An IPv4 address is itself, also in each of its forms mapped into
 * IPv6 (RFC 4291, section 2.5.5.2). Of an IPv6 address the first 64 bits count, because they all belong to one
 * holder. A port does not count.
 */
export function addressName(address: string | null): string {
  if (address === null) return "unknown";
  const bare = bareAddress(address);
  if (bare === null) return address;
  const parsed = ipaddr.process(bare);
  if (!("parts" in parsed)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The network of 48 bits that the name of an IPv6 address lies in; the name itself for IPv4. */
export const siteName = (name: string): string =>
  name.endsWith("::/64") ? `${name.split(":").slice(0, 3).join(":")}::/48` : name;
