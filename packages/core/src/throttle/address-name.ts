/** The eight groups of an IPv6 address, with `::` filled up; undefined if it is none. */
function groupsOf(address: string): string[] | undefined {
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = 8 - left.length - right.length;
  const filled = tail === undefined ? [] : Array.from({ length: missing }, () => "0");
  const groups = [...left, ...filled, ...right];
  return groups.length === 8 && missing >= 0 ? groups : undefined;
}

/**
 * Who an address is, for counting: an IPv4 address is itself, mapped into IPv6 or not; of an IPv6
 * address the first 64 bits count, because whoever has one has all that share them.
 */
export function addressName(address: string | null): string {
  if (address === null) return "unknown";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = address.includes(":") ? groupsOf(address) : undefined;
  if (groups === undefined) return address;
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** The network of 48 bits that the name of an IPv6 address lies in; the name itself for IPv4. */
export const siteName = (name: string): string =>
  name.endsWith("::/64") ? `${name.split(":").slice(0, 3).join(":")}::/48` : name;
