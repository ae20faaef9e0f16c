import { addressName } from "../throttle/address-name.js";
import type { User } from "../user/user.js";

/** Lanes take turns, so that registrations cannot starve claims, nor claims registrations. */
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
 * An IPv4 address is a group of its own. An IPv6 network of 64 bits belongs to the group of its 48 bits,
 * because a single subscriber often has all of them.
 */
function addressPath(address: string | null): readonly string[] {
  const name = addressName(address);
  const network = /^([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/.exec(name)?.[1];
  return network === undefined ? [name] : [`${network}::/48`, name];
}

/**
 * A customer with a verified e-mail address is a group of their own. All others are one group, shared
 * by address: accounts without a verified address cost nothing to make.
 */
export function claimParty({ id, emailVerified }: User, address: string | null): HashParty {
  const path = emailVerified
    ? [`customer:${id}`, ...addressPath(address)]
    : ["unverified", ...addressPath(address), id];
  return { lane: "claim", path };
}

export const registrationParty = (address: string | null): HashParty => ({
  lane: "registration",
  path: addressPath(address),
});
