import ipaddr from "ipaddr.js";
import { bareAddress } from "./bare-address.js";

/**
 * Returns the name under which a client address is counted. An IPv4 address counts as itself, also if it is mapped
 * into IPv6 (RFC 4291, section 2.5.5.2). An IPv6 address counts as its /64 network, which has one holder. Ports are
 * ignored.
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

/** Returns the IPv6 /48 network that a name from `addressName` belongs to, or the name itself for IPv4. */
export const siteName = (name: string): string =>
  name.endsWith("::/64") ? `${name.split(":").slice(0, 3).join(":")}::/48` : name;
