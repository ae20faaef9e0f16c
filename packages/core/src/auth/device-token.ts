import { importJWK, type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import { type Hmac, portableHmac } from "../ports/hmac.js";
import type { Awaitable } from "../shared/awaitable.js";
import { fromBase64Url, toBase64Url, toUtf8 } from "../shared/bytes.js";
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
  /** Returns a signed token in compact form (RFC 7515). */
  sign(claims: Claims): Awaitable<string>;
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

/** The claims in the order in which they are signed. */
interface Claims {
  readonly epoch: number;
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
}

const toPart = (value: object) => toBase64Url(toUtf8(JSON.stringify(value)));

/** Signs with HS256 synchronously, because waiting for WebCrypto takes a third of a login. */
function createHmacSigner(header: object, key: Uint8Array, hmac: Hmac): LoadedKey["sign"] {
  const start = `${toPart(header)}.`;
  return (claims) => {
    const signed = start + toPart(claims);
    return `${signed}.${toBase64Url(hmac(key, toUtf8(signed)))}`;
  };
}

async function loadKey(key: TokenKey, hmac: Hmac): Promise<LoadedKey> {
  const { kid, alg, jwk } = key;
  const { d: _, key_ops: __, ...publicJwk } = jwk;
  try {
    if (!fitsAlgorithm(key)) throw new TypeError("The key has the wrong type or is too short.");
    const signing = await importJWK(jwk, alg);
    const header = { alg, kid, typ: type };
    const sign: LoadedKey["sign"] =
      alg === "HS256"
        ? createHmacSigner(header, fromBase64Url(String(jwk["k"])), hmac)
        : (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(signing);
    return { kid, alg, sign, verifying: await importJWK(publicJwk, alg) };
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
  hmac: Hmac = portableHmac,
): Promise<DeviceTokens> {
  const keys = new Map<string, LoadedKey>();
  for (const key of tokenKeys) {
    if (keys.has(key.kid))
      throw new TypeError(
        `secrets.tokenKeys: two keys have the kid "${key.kid}". Give each key its own kid.`,
      );
    keys.set(key.kid, await loadKey(key, hmac));
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
      const exp = issuedAt + ttlSeconds;
      const own = { epoch, iss: issuer, aud: audience, sub: deviceId };
      const token = await signer.sign({ ...own, iat: issuedAt, exp });
      return { token, expiresIn: ttlSeconds, expiresAt: exp * 1000 };
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
