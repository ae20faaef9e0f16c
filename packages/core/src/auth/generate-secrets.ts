import { type Random, systemRandom } from "../ports/random.js";
import { toBase64Url } from "../shared/bytes.js";
import type { GatewaySecrets } from "./secrets.js";

/**
 * Creates new secrets: one HS256 key and a pepper, each of 256 random bits. Store them and use the same ones at
 * every start.
 * @example
 * ```ts
 * await writeFile("secrets.json", JSON.stringify(generateSecrets()), { mode: 0o600 });
 * ```
 */
export function generateSecrets(random: Random = systemRandom): GatewaySecrets {
  const k = toBase64Url(random.bytes(32));
  const kid = toBase64Url(random.bytes(6));
  return {
    tokenKeys: [{ kid, alg: "HS256", jwk: { kty: "oct", k } }],
    pepper: toBase64Url(random.bytes(32)),
  };
}
