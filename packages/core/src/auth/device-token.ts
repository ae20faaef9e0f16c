import { importJWK, type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import type { TokenAlgorithm, TokenKey } from "./secrets.js";

type VerificationKey = Awaited<ReturnType<typeof importJWK>>;

const type = "device+jwt";
const issuer = "device-gateway";
const audience = "device-gateway:device";

export interface IssuedToken {
  readonly token: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** What a token claims. That the epoch still counts has not been checked. */
export interface DeviceTokenClaims {
  readonly deviceId: string;
  readonly epoch: number;
  readonly expiresAt: number;
}

/** Signs and verifies device tokens (contract §2; RFC 7519, and RFC 8725 for what is pinned). */
export interface DeviceTokens {
  issue(input: { deviceId: string; epoch: number; now: number }): Promise<IssuedToken>;
  /** Null for anything but an unexpired token of ours. */
  verify(token: string, now: number): Promise<DeviceTokenClaims | null>;
}

interface LoadedKey {
  readonly kid: string;
  readonly alg: TokenAlgorithm;
  readonly signing: VerificationKey;
  readonly verifying: VerificationKey;
}

const keyTypes: Readonly<Record<TokenAlgorithm, string>> = {
  EdDSA: "OKP",
  ES256: "EC",
  HS256: "oct",
};

function fitsAlgorithm({ alg, jwk }: TokenKey): boolean {
  // RFC 7518, section 3.2: a key of the hash's size or larger.
  const longEnough = alg !== "HS256" || String(jwk["k"] ?? "").length >= 43;
  return jwk["kty"] === keyTypes[alg] && longEnough;
}

async function loadKey(key: TokenKey): Promise<LoadedKey> {
  const { kid, alg, jwk } = key;
  const { d: _, key_ops: __, ...publicJwk } = jwk;
  try {
    if (!fitsAlgorithm(key)) throw new TypeError("wrong type or too short");
    const signing = await importJWK(jwk, alg);
    return { kid, alg, signing, verifying: await importJWK(publicJwk, alg) };
  } catch (cause) {
    throw new TypeError(
      `secrets.tokenKeys: "${kid}" is not a JWK for ${alg} of 256 bits. Make one with generateSecrets().`,
      { cause },
    );
  }
}

/** @throws {TypeError} when a key does not fit, the first can't sign, or two share a `kid`. */
export async function createDeviceTokens(
  tokenKeys: readonly TokenKey[],
  ttlSeconds: number,
): Promise<DeviceTokens> {
  const keys = new Map<string, LoadedKey>();
  for (const key of tokenKeys) {
    if (keys.has(key.kid))
      throw new TypeError(`secrets.tokenKeys: "${key.kid}" stands there twice.`);
    keys.set(key.kid, await loadKey(key));
  }
  const [signer] = keys.values();
  if (signer === undefined) throw new TypeError("secrets.tokenKeys: give at least one key.");
  const first = tokenKeys[0]?.jwk ?? {};
  if (!("d" in first || "k" in first)) {
    throw new TypeError(`secrets.tokenKeys: "${signer.kid}" can't sign. Put a private key first.`);
  }

  const keyOf: JWTVerifyGetKey = ({ kid, alg }) => {
    const key = keys.get(kid ?? "");
    if (key === undefined || key.alg !== alg) throw new TypeError("no such key");
    return key.verifying;
  };
  const algorithms = [...new Set([...keys.values()].map(({ alg }) => alg))];

  return {
    async issue({ deviceId, epoch, now }) {
      const issuedAt = Math.floor(now / 1000);
      const token = await new SignJWT({ epoch })
        .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(deviceId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ttlSeconds)
        .sign(signer.signing);
      return { token, expiresIn: ttlSeconds, expiresAt: (issuedAt + ttlSeconds) * 1000 };
    },
    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms,
          typ: type,
          issuer,
          audience,
          requiredClaims: ["sub", "exp"],
          currentDate: new Date(now),
        });
        const { sub, epoch, exp } = payload;
        // jose types the claims, and does not look what they are.
        if (typeof sub !== "string" || exp === undefined || !Number.isSafeInteger(epoch))
          return null;
        return { deviceId: sub, epoch: epoch as number, expiresAt: exp * 1000 };
      } catch {
        return null;
      }
    },
  };
}
