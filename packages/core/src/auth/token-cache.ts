import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../bytes.js";
import type { DeviceTokenClaims, DeviceTokens } from "./device-token.js";

const capacity = 20_000;

/**
 * Remembers the claims of tokens that were found good, by the token's digest, so that a signature is
 * checked once a token and process. Expiry is looked at each time; the epoch is the caller's to check.
 */
export function cacheTokens(tokens: DeviceTokens): DeviceTokens {
  const good = new Map<string, DeviceTokenClaims>();
  return {
    issue: (input) => tokens.issue(input),
    async verify(token, now) {
      const digest = toBase64Url(sha256(toUtf8(token)));
      const known = good.get(digest);
      if (known !== undefined) {
        if (now < known.expiresAt) return known;
        good.delete(digest);
        return null;
      }
      const claims = await tokens.verify(token, now);
      if (claims === null) return null;
      if (good.size >= capacity) good.delete(good.keys().next().value as string);
      good.set(digest, claims);
      return claims;
    },
  };
}
