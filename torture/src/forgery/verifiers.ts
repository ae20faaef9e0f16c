import { createHash, createPublicKey } from "node:crypto";
import { createJwtAuthenticator, type GatewayOptions } from "@device-gateway/core";
import type { FakeClock } from "@device-gateway/testing";
import { customerAudience, customerIssuer, customerSecret } from "../issuer.js";
import { makeKey, type SigningKey, toJwk } from "./sign.js";
import type { Target } from "./target.js";

const yearSeconds = 31_536_000;

/** All keys that the gateway trusts. */
export interface Keys {
  /** The gateway's key set, one for each algorithm. */
  readonly device: readonly [SigningKey, SigningKey, SigningKey];
  /** The shared secret of customers' tokens. */
  readonly secret: SigningKey;
  readonly issuer: readonly [SigningKey, SigningKey, SigningKey];
}

export const makeKeys = (): Keys => ({
  device: [makeKey("EdDSA", "d-ed"), makeKey("ES256", "d-es"), makeKey("HS256", "d-hs")],
  secret: { alg: "HS256", kid: "secret", secret: Buffer.from(customerSecret) },
  issuer: [makeKey("RS256", "c-rs"), makeKey("ES256", "c-es"), makeKey("EdDSA", "c-ed")],
});

/** Returns options of a gateway that trusts these keys and verifies customers' tokens by secret or by public keys. */
export function toOptions(
  keys: Keys,
  by: "secret" | "keys",
  clock: FakeClock,
): Partial<GatewayOptions> {
  const claims = { issuer: customerIssuer, audience: customerAudience, clock };
  const issuerKeys = keys.issuer.map(({ alg, kid, secret }) => ({
    alg: alg as "RS256" | "ES256" | "EdDSA",
    kid,
    jwk: publicJwkOf(secret as Exclude<SigningKey["secret"], Buffer>),
  }));
  return {
    secrets: {
      tokenKeys: keys.device.map((key) => ({
        kid: key.kid,
        alg: key.alg as "EdDSA" | "ES256" | "HS256",
        jwk: toJwk(key),
      })),
      pepper: createHash("sha256").update("pepper").digest("base64url"),
    },
    customers: createJwtAuthenticator(
      by === "secret" ? { ...claims, secret: customerSecret } : { ...claims, keys: issuerKeys },
    ),
  };
}

const publicJwkOf = (secret: Exclude<SigningKey["secret"], Buffer>) =>
  createPublicKey(secret).export({ format: "jwk" }) as Record<string, unknown>;

interface Place {
  readonly now: number;
  readonly someoneElse: string;
}

export function deviceTargets(
  { device }: Keys,
  { now, someoneElse }: Place,
  subject: { deviceId: string; epoch: number },
): Target[] {
  return device.map((key) => ({
    name: `device token by ${key.alg}`,
    key,
    allKeys: device,
    parts: {
      header: { alg: key.alg, kid: key.kid, typ: "device+jwt" },
      claims: {
        epoch: subject.epoch,
        iss: "device-gateway",
        aud: "device-gateway:device",
        sub: subject.deviceId,
        iat: now,
        exp: now + yearSeconds,
      },
    },
    pinsType: true,
    pinsKeyId: true,
    someoneElse,
    now,
  }));
}

export function customerTargets(
  { secret, issuer }: Keys,
  by: "secret" | "keys",
  { now, someoneElse }: Place,
  user: { id: string; roles: readonly string[] },
): Target[] {
  const keys = by === "secret" ? [secret] : issuer;
  return keys.map((key) => ({
    name: `customer token by ${by}, ${key.alg}`,
    key,
    allKeys: keys,
    parts: {
      header: by === "secret" ? { alg: key.alg } : { alg: key.alg, kid: key.kid },
      claims: {
        email_verified: true,
        roles: user.roles,
        iss: customerIssuer,
        aud: customerAudience,
        sub: user.id,
        iat: now,
        exp: now + yearSeconds,
      },
    },
    pinsType: false,
    pinsKeyId: by === "keys",
    someoneElse,
    now,
  }));
}
