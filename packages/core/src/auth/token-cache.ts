import { type Digest, portableDigest } from "../ports/digest.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { DeviceTokenClaims, DeviceTokens } from "./device-token.js";

/** Some 20 MB. */
const capacity = 100_000;

export interface CachedDeviceTokens extends Pick<DeviceTokens, "issue"> {
  /** Null for anything but an unexpired token of ours. At once, if it was seen before. */
  verify(token: string, now: number): Awaitable<DeviceTokenClaims | null>;
}

/**
 * Remembers the claims of tokens that were found good, by the token's digest, so that a signature is
 * checked once a token and process. Expiry is looked at each time; the epoch is the caller's to check.
 */
export function cacheTokens(
  tokens: DeviceTokens,
  digestOf: Digest = portableDigest,
): CachedDeviceTokens {
  const good = createBoundedCache<DeviceTokenClaims>(capacity);

  async function check(token: string, digest: string, now: number) {
    const claims = await tokens.verify(token, now);
    if (claims !== null) good.set(digest, claims);
    return claims;
  }

  return {
    issue: (input) => tokens.issue(input),
    verify(token, now) {
      const digest = digestOf(token);
      const known = good.get(digest);
      if (known === undefined) return check(token, digest, now);
      if (now < known.expiresAt) return known;
      good.delete(digest);
      return null;
    },
  };
}
