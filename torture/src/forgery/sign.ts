import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from "node:crypto";

/** A signing key with the algorithm and key id that a verifier knows. */
export interface SigningKey {
  readonly alg: "HS256" | "ES256" | "EdDSA" | "RS256";
  readonly kid: string;
  /** The bytes of a shared secret, or a private key. */
  readonly secret: Buffer | KeyObject;
}

type Json = Readonly<Record<string, unknown>>;

/** Header and claims, as objects or as text that no serializer would write. */
export interface TokenParts {
  readonly header: Json | string;
  readonly claims: Json | string;
}

export function makeKey(alg: SigningKey["alg"], kid: string): SigningKey {
  if (alg === "HS256") return { alg, kid, secret: randomBytes(32) };
  return { alg, kid, secret: makePair(alg) };
}

function makePair(alg: "ES256" | "EdDSA" | "RS256"): KeyObject {
  switch (alg) {
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    case "EdDSA":
      return generateKeyPairSync("ed25519").privateKey;
    case "RS256":
      return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  }
}

export const base64Url = (data: string | Uint8Array): string =>
  Buffer.from(data as Uint8Array).toString("base64url");

const encodePart = (part: Json | string) =>
  base64Url(typeof part === "string" ? part : JSON.stringify(part));

/** Returns the signed text: encoded header and claims. */
export const signingInput = ({ header, claims }: TokenParts): string =>
  `${encodePart(header)}.${encodePart(claims)}`;

export function hmacOf(hash: "sha256" | "sha384" | "sha512", key: string | Buffer, text: string) {
  return createHmac(hash, key).update(text).digest();
}

/** Signs a text with a key, whatever algorithm the header names. */
export function signatureOf({ alg, secret }: SigningKey, text: string): Buffer {
  if (Buffer.isBuffer(secret)) return hmacOf("sha256", secret, text);
  if (alg === "EdDSA") return signBytes(null, Buffer.from(text), secret);
  if (alg === "RS256") return signBytes("sha256", Buffer.from(text), secret);
  return signBytes("sha256", Buffer.from(text), { key: secret, dsaEncoding: "ieee-p1363" });
}

export const join = (input: string, signature: Uint8Array): string =>
  `${input}.${base64Url(signature)}`;

export function signToken(parts: TokenParts, key: SigningKey): string {
  const input = signingInput(parts);
  return join(input, signatureOf(key, input));
}

/** Returns the private key as a JWK, for a verifier that also signs. */
export function toJwk({ secret }: SigningKey): Record<string, unknown> {
  if (Buffer.isBuffer(secret)) return { kty: "oct", k: base64Url(secret) };
  return secret.export({ format: "jwk" }) as Record<string, unknown>;
}

export function toPublicJwk({ secret }: SigningKey): Record<string, unknown> {
  if (Buffer.isBuffer(secret)) throw new TypeError("A shared secret has no public half.");
  return createPublicKey(secret).export({ format: "jwk" }) as Record<string, unknown>;
}

/** Returns every form of a public key that a careless verifier might use as a shared secret. */
export function publicBytes({ secret }: SigningKey): readonly (readonly [string, Buffer])[] {
  if (Buffer.isBuffer(secret)) return [];
  const key = createPublicKey(secret);
  const jwk = key.export({ format: "jwk" });
  const x = String(jwk.x ?? jwk.n);
  return [
    ["PEM", Buffer.from(key.export({ type: "spki", format: "pem" }))],
    [
      "PEM without its last newline",
      Buffer.from(String(key.export({ type: "spki", format: "pem" })).trim()),
    ],
    ["DER", Buffer.from(key.export({ type: "spki", format: "der" }))],
    ["JWK", Buffer.from(JSON.stringify(jwk))],
    ["x of the JWK", Buffer.from(x)],
    ["bytes of x", Buffer.from(x, "base64url")],
  ];
}
