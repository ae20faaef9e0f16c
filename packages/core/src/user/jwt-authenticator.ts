import {
  createRemoteJWKSet,
  errors,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from "jose";
import { type Clock, systemClock } from "../ports/clock.js";
import { toUtf8 } from "../shared/bytes.js";
import { isWebAddress } from "../shared/is-web-address.js";
import type { CustomerAuthenticator } from "./customer-authenticator.js";
import type { User } from "./user.js";

/** A public key of the issuer (RFC 7517), pinned to one algorithm. */
export interface IssuerKey {
  /** Compared with the token's `kid`; without one the key is for tokens that name none. */
  readonly kid?: string;
  readonly alg: "RS256" | "PS256" | "ES256" | "EdDSA";
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Where the keys of a customer's token come from: one of the three. */
export type IssuerKeys =
  /** Shared with the issuer, HS256; 32 bytes or more. */
  | { readonly secret: string }
  | { readonly keys: readonly IssuerKey[] }
  /** Fetched and cached; a token's algorithm must be its key's own. */
  | { readonly jwksUrl: string };

export type JwtAuthenticatorOptions = IssuerKeys & {
  /** Must be the token's `iss`. */
  readonly issuer: string;
  /** Must be among the token's `aud`. */
  readonly audience: string;
  readonly clock?: Clock;
};

const asymmetric = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

type Verify = (token: string, options: Parameters<typeof jwtVerify>[2]) => Promise<JWTPayload>;

function withSecret(secret: string): Verify {
  const key = toUtf8(secret);
  if (key.length < 32) {
    throw new TypeError("The secret of customer tokens needs 32 bytes or more. Make a longer one.");
  }
  return async (token, options) =>
    (await jwtVerify(token, key, { ...options, algorithms: ["HS256"] })).payload;
}

function withKeys(keys: readonly IssuerKey[]): Verify {
  const keyOf = async ({ kid, alg }: JWTHeaderParameters) => {
    const key = keys.find((candidate) => candidate.kid === kid && candidate.alg === alg);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return importJWK({ ...key.jwk }, key.alg);
  };
  return async (token, options) =>
    (await jwtVerify(token, keyOf, { ...options, algorithms: asymmetric })).payload;
}

function withJwks(jwksUrl: string): Verify {
  if (!isWebAddress(jwksUrl)) {
    throw new TypeError(
      'jwksUrl: give the address of the issuer\'s keys, such as "https://accounts.example.com/.well-known/jwks.json".',
    );
  }
  const keySet = createRemoteJWKSet(new URL(jwksUrl));
  return async (token, options) =>
    (await jwtVerify(token, keySet, { ...options, algorithms: asymmetric })).payload;
}

function toVerify(options: JwtAuthenticatorOptions): Verify {
  if ("secret" in options) return withSecret(options.secret);
  return "keys" in options ? withKeys(options.keys) : withJwks(options.jwksUrl);
}

function toUser({ sub, email_verified, roles }: JWTPayload): User | null {
  // jose types the claims, and does not look what they are.
  if (typeof sub !== "string" || sub === "") return null;
  const known = Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [];
  return { id: sub, emailVerified: email_verified === true, roles: known };
}

/** The issuer's keys could not be had: that says nothing of the token. */
const keyTrouble = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);
const isRefusal = (error: unknown) =>
  error instanceof errors.JOSEError && !keyTrouble.has(error.code);

/**
 * Takes customers' tokens from an issuer of JWTs (RFC 7519). Claims: `sub`, `exp`,
 * `email_verified`, `roles`. That the user still exists has not been checked.
 * @throws {TypeError} when the secret is too short or the URL is none.
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): CustomerAuthenticator {
  const { issuer, audience, clock = systemClock } = options;
  const verify = toVerify(options);
  return {
    async authenticateToken(token) {
      try {
        const claims = { issuer, audience, requiredClaims: ["sub", "exp"] };
        return toUser(await verify(token, { ...claims, currentDate: new Date(clock.now()) }));
      } catch (error) {
        if (isRefusal(error)) return null;
        throw error;
      }
    },
  };
}
