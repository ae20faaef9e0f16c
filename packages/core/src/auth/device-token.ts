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

/** The claims of a verified token. The caller must still compare the epoch with the device's credentials. */
export interface DeviceTokenClaims {
  readonly deviceId: string;
  readonly epoch: number;
  readonly expiresAt: number;
}

/** Signs and verifies device tokens (§2; RFC 7519, with the precautions of RFC 8725). */
export interface DeviceTokens {
  issue(input: { deviceId: string; epoch: number; now: number }): Promise<IssuedToken>;
  /** Returns the claims, or null unless the token is one of this gateway's and has not expired. */
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
  // RFC 7518, section 3.2: the key is at least as long as the hash. 32 bytes are 43 characters of base64url.
  const longEnough = alg !== "HS256" || String(jwk["k"] ?? "").length >= 43;
  return jwk["kty"] === keyTypes[alg] && longEnough;
}

async function loadKey(key: TokenKey): Promise<LoadedKey> {
  const { kid, alg, jwk } = key;
  const { d: _, key_ops: __, ...publicJwk } = jwk;
  try {
    if (!fitsAlgorithm(key)) throw new TypeError("The key has the wrong type or is too short.");
    const signing = await importJWK(jwk, alg);
    return { kid, alg, signing, verifying: await importJWK(publicJwk, alg) };
  } catch (cause) {
    throw new TypeError(
      `secrets.tokenKeys: "${kid}" is not a JWK of 256 bits for ${alg}. Create one with generateSecrets().`,
      { cause },
    );
  }
}

/**
 * Creates the signer and verifier of device tokens. The first key signs, and every key verifies.
 * @throws {TypeError} if a key does not fit its algorithm, the first key cannot sign, or two keys have the same `kid`.
 */
export async function createDeviceTokens(
  tokenKeys: readonly TokenKey[],
  ttlSeconds: number,
): Promise<DeviceTokens> {
  const keys = new Map<string, LoadedKey>();
  for (const key of tokenKeys) {
    if (keys.has(key.kid))
      throw new TypeError(
        `secrets.tokenKeys: two keys have the kid "${key.kid}". Give each key its own kid.`,
      );
    keys.set(key.kid, await loadKey(key));
  }
  const [signer] = keys.values();
  if (signer === undefined)
    throw new TypeError("secrets.tokenKeys is empty. Add a key from generateSecrets().");
  const first = tokenKeys[0]?.jwk ?? {};
  if (!("d" in first || "k" in first)) {
    throw new TypeError(
      `secrets.tokenKeys: the first key, "${signer.kid}", cannot sign. Put a private key first.`,
    );
  }

  const keyOf: JWTVerifyGetKey = ({ kid, alg }) => {
    const key = keys.get(kid ?? "");
    if (key === undefined || key.alg !== alg)
      throw new TypeError("The token names an unknown key.");
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
        // jose declares types for the claims but does not check them.
        if (typeof sub !== "string" || exp === undefined || !Number.isSafeInteger(epoch))
          return null;
        return { deviceId: sub, epoch: epoch as number, expiresAt: exp * 1000 };
      } catch {
        return null;
      }
    },
  };
}
