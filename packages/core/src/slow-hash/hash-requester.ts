import { addressName, siteName } from "../throttle/address-name.js";
import type { User } from "../user/user.js";

/** The queues take turns, so that neither registrations nor claims can starve the other. */
export const hashQueues = ["claim", "registration"] as const;
export type HashQueue = (typeof hashQueues)[number];

/** The requester that a slow hash is computed for. */
export interface HashRequester {
  readonly queue: HashQueue;
  /**
   * Names from the widest group to the narrowest. Turns are shared equally among groups, then among
   * the members of each group.
   */
  readonly path: readonly string[];
  /** The name under which the requester rests after a hash. Requesters without it do not rest. */
  readonly restsAs?: string;
}

/**
 * Each IPv4 address is a group. IPv6 /64 networks are grouped by their /48, because a single subscriber often has a
 * whole /48.
 */
function addressPath(address: string | null): readonly string[] {
  const name = addressName(address);
  const site = siteName(name);
  return site === name ? [name] : [site, name];
}

/**
 * Returns the requester of a claim. Each customer with a verified e-mail address is a group and rests after a hash. All
 * others form one group, divided by client address, because an account without a verified address costs nothing to
 * create. In this group, each address (in IPv6 each /48) rests for itself.
 */
export function claimRequester({ id, emailVerified }: User, address: string | null): HashRequester {
  const networks = addressPath(address);
  if (!emailVerified) {
    const [network] = networks;
    return { queue: "claim", path: ["unverified", ...networks, id], restsAs: `network:${network}` };
  }
  const customer = `customer:${id}`;
  return { queue: "claim", path: [customer, ...networks], restsAs: customer };
}

/**
 * Returns the requester of a registration: its client address. It does not rest, because registrations are limited per
 * address and a factory registers many devices.
 */
export const registrationRequester = (address: string | null): HashRequester => ({
  queue: "registration",
  path: addressPath(address),
});
