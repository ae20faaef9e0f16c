import { z } from "zod";
import { type Random, systemRandom } from "../ports/random.js";
import { toBase64Url } from "../shared/bytes.js";

const Algorithm = z.enum(["EdDSA", "ES256", "HS256"]);
export type TokenAlgorithm = z.infer<typeof Algorithm>;

/** One key of the set that device tokens are signed with: a JWK (RFC 7517) for one algorithm. */
const TokenKey = z.object({
  kid: z.string().min(1).max(64).meta({ description: "Names the key in a token's header." }),
  alg: Algorithm,
  jwk: z.record(z.string(), z.unknown()),
});
export type TokenKey = z.infer<typeof TokenKey>;

/** So many characters of base64url are random only by an accident that does not happen. */
const fewestDifferent = 16;

const isGuessable = (secret: string) =>
  new Set(secret).size < fewestDifferent || /^(.{1,21})\1+.{0,20}$/.test(secret);

/** What a gateway must keep secret. Plain JSON, so that any secret manager can hold it. */
export const GatewaySecrets = z
  .object({
    /** The first one signs; all verify. To rotate, put a new one in front and drop the old later. */
    tokenKeys: z.array(TokenKey).min(1),
    /**
     * Keys the hashes of device secrets and claim codes: 32 bytes or more, base64url. Keep it
     * outside the database, and keep it: without it no device can log in.
     */
    pepper: z.string().regex(/^[A-Za-z0-9_-]{43,}$/, "32 random bytes or more, in base64url"),
  })
  .superRefine(({ tokenKeys, pepper }, context) => {
    const tell = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    for (const [i, { kid }] of tokenKeys.entries()) {
      if (tokenKeys.findIndex((other) => other.kid === kid) === i) continue;
      tell(
        ["tokenKeys", i, "kid"],
        `"${kid}" is in use here already. Give each key a kid of its own.`,
      );
    }
    const secrets = [
      { path: ["pepper"], secret: pepper },
      ...tokenKeys.map(({ alg, jwk }, i) => {
        return { path: ["tokenKeys", i], secret: String(jwk[alg === "HS256" ? "k" : "d"] ?? "") };
      }),
    ];
    for (const [i, { path, secret }] of secrets.entries()) {
      if (secret === "") continue;
      if (isGuessable(secret)) {
        tell(
          path,
          "It is no random one, so that it can be guessed. Make one with generateSecrets().",
        );
      }
      if (secrets.slice(0, i).some((other) => other.secret === secret)) {
        tell(
          path,
          "It is in use here already: who finds one has both. Make one with generateSecrets().",
        );
      }
    }
  });
export type GatewaySecrets = z.infer<typeof GatewaySecrets>;

/** Makes fresh secrets: one HS256 key and a pepper, 256 random bits each. */
export function generateSecrets(random: Random = systemRandom): GatewaySecrets {
  const k = toBase64Url(random.bytes(32));
  const kid = toBase64Url(random.bytes(6));
  return {
    tokenKeys: [{ kid, alg: "HS256", jwk: { kty: "oct", k } }],
    pepper: toBase64Url(random.bytes(32)),
  };
}
