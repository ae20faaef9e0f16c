import { addressName } from "../throttle/address-name.js";
import type { User } from "../user/user.js";

/** The lanes take turns, so that neither registrations nor claims can starve the other. */
export const hashLanes = ["claim", "registration"] as const;
export type HashLane = (typeof hashLanes)[number];

/** The party that a slow hash is computed for. */
export interface HashParty {
  readonly lane: HashLane;
  /**
   * Names from the widest group to the narrowest. Turns are shared equally among groups, then among
   * the members of each group.
   */
  readonly path: readonly string[];
}

/**
 * Each IPv4 address is a group. IPv6 /64 networks are grouped by their /48, because a single subscriber often has a
 * whole /48.
 */
function addressPath(address: string | null): readonly string[] {
  const name = addressName(address);
  const network = /^([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/.exec(name)?.[1];
  return network === undefined ? [name] : [`${network}::/48`, name];
}

/**
 * Returns the party of a claim. Each customer with a verified e-mail address is a group. All others form one group,
 * divided by client address, because an account without a verified address costs nothing to create.
 */
export function claimParty({ id, emailVerified }: User, address: string | null): HashParty {
  const path = emailVerified
    ? [`customer:${id}`, ...addressPath(address)]
    : ["unverified", ...addressPath(address), id];
  return { lane: "claim", path };
}

/** Returns the party of a registration: its client address. */
export const registrationParty = (address: string | null): HashParty => ({
  lane: "registration",
  path: addressPath(address),
});
