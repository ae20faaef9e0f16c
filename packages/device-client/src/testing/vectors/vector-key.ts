import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { signedLines } from "@device-gateway/core/contract";
import { p256 } from "@noble/curves/nist.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

export interface VectorKey {
  readonly id: string;
  readonly algorithm: "ecdsa-p256-sha256" | "ed25519";
  readonly pem: string;
  /** Signs deterministically, so that generated vectors never change. */
  sign(text: string): Uint8Array;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
const seedOf = (id: string) => sha256(utf8ToBytes(`device-gateway test vectors: ${id}`));

/** Derives a P-256 key from its id. It signs with the deterministic `k` of RFC 6979. */
export function p256Key(id: string): VectorKey {
  const secret = seedOf(id);
  const point = p256.getPublicKey(secret, false);
  const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))];
  const pem = pemOf(createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" }));
  return {
    id,
    algorithm: "ecdsa-p256-sha256",
    pem,
    sign: (text) => p256.sign(utf8ToBytes(text), secret, { lowS: true, format: "der" }),
  };
}

/** Derives an Ed25519 key from its id. RFC 8410 §7 describes the wrapped seed. */
export function ed25519Key(id: string): VectorKey {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const der = Buffer.concat([prefix, seedOf(id)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return {
    id,
    algorithm: "ed25519",
    pem: pemOf(createPublicKey(key)),
    sign: (text) => sign(null, utf8ToBytes(text), key),
  };
}

export const linesOf = (facts: Parameters<typeof signedLines>[0]): string =>
  new TextDecoder().decode(signedLines(facts));
