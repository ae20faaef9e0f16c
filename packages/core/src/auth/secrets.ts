import { z } from "zod";

const Algorithm = z.enum(["EdDSA", "ES256", "HS256"]);
export type TokenAlgorithm = z.infer<typeof Algorithm>;

/** A key for device tokens: a JWK (RFC 7517) for one algorithm. */
const TokenKey = z.object({
  kid: z.string().min(1).max(64).meta({ description: "Identifies the key in a token's header." }),
  alg: Algorithm,
  jwk: z.record(z.string(), z.unknown()),
});
export type TokenKey = z.infer<typeof TokenKey>;

/** A random secret of 43 base64url characters practically never has fewer different characters than this. */
const fewestDifferent = 16;

const isGuessable = (secret: string) =>
  new Set(secret).size < fewestDifferent || /^(.{1,21})\1+.{0,20}$/.test(secret);

/** The secrets of a gateway, as plain JSON that any secret manager can store. `generateSecrets` creates them. */
export const GatewaySecrets = z
  .object({
    /**
     * The first key signs, and all verify. To rotate, put a new key first, and remove the old one when its
     * tokens have expired.
     */
    tokenKeys: z.array(TokenKey).min(1),
    /**
     * The key of the hashes of device secrets and claim codes: 32 bytes or more in base64url. Keep it
     * outside the database and back it up: without it no device can log in.
     */
    pepper: z.string().regex(/^[A-Za-z0-9_-]{43,}$/, "Use 32 or more random bytes in base64url"),
  })
  .superRefine(({ tokenKeys, pepper }, context) => {
    const report = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    for (const [i, { kid }] of tokenKeys.entries()) {
      if (tokenKeys.findIndex((other) => other.kid === kid) === i) continue;
      report(
        ["tokenKeys", i, "kid"],
        `Another key has the kid "${kid}". Give each key its own kid.`,
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
        report(
          path,
          "The secret is not random and can be guessed. Create one with generateSecrets().",
        );
      }
      if (secrets.slice(0, i).some((other) => other.secret === secret)) {
        report(path, "The secret is used twice. Create another one with generateSecrets().");
      }
    }
  });
export type GatewaySecrets = z.infer<typeof GatewaySecrets>;
