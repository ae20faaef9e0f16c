import {
  createRemoteJWKSet,
  errors,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from "jose";
import { type Clock, systemClock } from "../ports/clock.js";
import { type LogFields, type Logger, silentLogger } from "../ports/logger.js";
import { toUtf8 } from "../shared/bytes.js";
import { isWebAddress } from "../shared/is-web-address.js";
import type { CustomerAuthenticator } from "./customer-authenticator.js";
import type { User } from "./user.js";

/** A public key of the issuer (RFC 7517), pinned to one algorithm. */
export interface IssuerKey {
  /** Must equal the token's `kid`. A key without one is used for tokens without one. */
  readonly kid?: string;
  readonly alg: "RS256" | "PS256" | "ES256" | "EdDSA";
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** The keys that verify customers' tokens: one of three kinds. */
export type IssuerKeys =
  /** A secret shared with the issuer, for HS256. 32 bytes or more. */
  | { readonly secret: string }
  /** The issuer's public keys. */
  | { readonly keys: readonly IssuerKey[] }
  /** The URL of the issuer's JWKS, which is fetched and cached. A token's algorithm must be that of its key. */
  | { readonly jwksUrl: string };

/** The claims of a token whose signature, issuer, audience and time are valid. Check the type of each other claim. */
export interface TokenClaims {
  /** Not empty. */
  readonly sub: string;
  readonly [name: string]: unknown;
}

export type JwtAuthenticatorOptions = IssuerKeys & {
  /** Must equal the token's `iss`. */
  readonly issuer: string;
  /** Must be among the token's `aud`. */
  readonly audience: string;
  /**
   * Returns the user whom the claims describe. Null refuses the token. Default: `sub` is the id, the e-mail address is
   * verified if `email_verified` is true, and the texts in `roles` are the roles. The README of this package says what
   * Auth0, Cognito, Entra and Keycloak need.
   * @example
   * toUser: ({ sub, ...others }) => ({ id: sub, emailVerified: others["https://shop.example/ok"] === true, roles: [] })
   */
  readonly toUser?: (claims: TokenClaims) => User | null;
  readonly clock?: Clock;
  /** Receives at level `debug` why a token was refused, and never the token. Default: nothing is logged. */
  readonly logger?: Logger;
};

const asymmetric = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

type Verify = (token: string, options: Parameters<typeof jwtVerify>[2]) => Promise<JWTPayload>;

function withSecret(secret: string): Verify {
  const key = toUtf8(secret);
  if (key.length < 32) {
    throw new TypeError(
      "secret: the secret of customer tokens needs 32 bytes or more. Create a longer one.",
    );
  }
  const hmac = { name: "HMAC", hash: "SHA-256" };
  let imported: ReturnType<typeof crypto.subtle.importKey> | undefined;
  return async (token, options) => {
    // jose would import the bytes again for each token.
    imported ??= globalThis.crypto.subtle.importKey("raw", key, hmac, false, ["verify"]);
    return (await jwtVerify(token, await imported, { ...options, algorithms: ["HS256"] })).payload;
  };
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
      'jwksUrl: pass the URL of the issuer\'s keys, such as "https://accounts.example.com/.well-known/jwks.json".',
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

function toDefaultUser({ sub, email_verified, roles }: TokenClaims): User {
  const known = Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [];
  return { id: sub, emailVerified: email_verified === true, roles: known };
}

/** jose would not check an issuer or an audience that is undefined, such as one of a variable that is not set. */
function checkExpected(expected: Pick<JwtAuthenticatorOptions, "issuer" | "audience">): void {
  for (const name of ["issuer", "audience"] as const) {
    const value: unknown = expected[name];
    if (typeof value === "string" && value !== "") continue;
    throw new TypeError(
      `createJwtAuthenticator: ${name} is missing. Pass the text of the tokens' claim.`,
    );
  }
}

/** jose declares types for the claims but does not check them. */
const hasSubject = (claims: object): claims is TokenClaims =>
  "sub" in claims && typeof claims.sub === "string" && claims.sub !== "";

/** Errors in fetching the issuer's keys. They do not mean that the token is invalid. */
const fetchErrors = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);
const isRefusal = (error: unknown): error is errors.JOSEError =>
  error instanceof errors.JOSEError && !fetchErrors.has(error.code);

/** Returns why jose refused a token. The error itself also has the token's claims. */
function reasonOf(error: errors.JOSEError): LogFields {
  const { code, claim, reason }: { code: string; claim?: string; reason?: string } = error;
  return { code, claim, reason };
}

/**
 * Creates an authenticator for JWTs (RFC 7519) of one issuer. Without `toUser`, it reads the claims `sub`, `exp`,
 * `email_verified` and `roles`. It does not check that the user still exists.
 * @throws {TypeError} if the issuer or audience is missing, the secret is too short, or the URL is invalid.
 * @example
 * ```ts
 * const jwksUrl = "https://accounts.example.com/.well-known/jwks.json";
 * const customers = createJwtAuthenticator({ jwksUrl, issuer: "https://accounts.example.com", audience: "gateway" });
 * ```
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): CustomerAuthenticator {
  const { issuer, audience, clock = systemClock, logger = silentLogger } = options;
  const { toUser = toDefaultUser } = options;
  checkExpected(options);
  const verify = toVerify(options);
  const refuse = (reason: LogFields) => {
    logger.debug(reason, "A customer's token was refused");
    return null;
  };
  return {
    async authenticateToken(token) {
      let claims: JWTPayload;
      try {
        const required = { issuer, audience, requiredClaims: ["sub", "exp"] };
        claims = await verify(token, { ...required, currentDate: new Date(clock.now()) });
      } catch (error) {
        if (isRefusal(error)) return refuse(reasonOf(error));
        throw error;
      }
      if (!hasSubject(claims)) return refuse({ claim: "sub", reason: "invalid" });
      return toUser(claims) ?? refuse({ reason: "toUser returned null" });
    },
  };
}
