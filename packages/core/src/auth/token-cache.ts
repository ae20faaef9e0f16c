import { type Digest, portableDigest } from "../ports/digest.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { DeviceTokenClaims, DeviceTokens } from "./device-token.js";

/** Maximum number of cached tokens. They take about 20 MB. */
const capacity = 100_000;

export interface CachedDeviceTokens extends Pick<DeviceTokens, "issue"> {
  /** Like `DeviceTokens.verify`, but returns a value instead of a promise for a token that was verified before. */
  verify(token: string, now: number): Awaitable<DeviceTokenClaims | null>;
}

/**
 * Caches the claims of valid tokens by the token's digest, so that a process rarely verifies a signature twice. The
 * tokens that it issues itself are cached, too. When the cache is full, entries are dropped, and their tokens are
 * verified again. Expiry is checked each time. The caller checks the epoch.
 */
export function cacheTokens(
  tokens: DeviceTokens,
  digestOf: Digest = portableDigest,
): CachedDeviceTokens {
  const valid = createBoundedCache<DeviceTokenClaims>(capacity);

  async function check(token: string, digest: string, now: number) {
    const claims = await tokens.verify(token, now);
    if (claims !== null) valid.set(digest, claims);
    return claims;
  }

  return {
    async issue(input) {
      const issued = await tokens.issue(input);
      const { deviceId, epoch } = input;
      valid.set(digestOf(issued.token), { deviceId, epoch, expiresAt: issued.expiresAt });
      return issued;
    },
    verify(token, now) {
      const digest = digestOf(token);
      const cached = valid.get(digest);
      if (cached === undefined) return check(token, digest, now);
      if (now < cached.expiresAt) return cached;
      valid.delete(digest);
      return null;
    },
  };
}
