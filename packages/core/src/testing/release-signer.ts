import { type SignatureAlgorithm, type SignedFacts, signedLines } from "../contract/index.js";
import type { FirmwareKey } from "../ota/firmware-options.js";

/** Signs releases as a team's own signing machine does. The private key stays inside. */
export interface ReleaseSigner {
  /** For the gateway's options. */
  readonly key: FirmwareKey;
  readonly algorithm: SignatureAlgorithm;
  /** Signs the four lines: base64, of ASN.1 DER for ECDSA. */
  sign(facts: SignedFacts): Promise<string>;
}

const parameters = {
  "ecdsa-p256-sha256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ed25519: { name: "Ed25519" },
} as const;

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

function toInteger(digits: Uint8Array): number[] {
  const first = Math.min(
    digits.findIndex((byte) => byte !== 0),
    digits.length - 1,
  );
  const short = [...digits.subarray(first)];
  const content = (short[0] ?? 0) >= 0x80 ? [0, ...short] : short;
  return [0x02, content.length, ...content];
}

/** ASN.1 DER of a signature whose halves are r and s (RFC 3279, section 2.2.3). */
function toDer(raw: Uint8Array): Uint8Array {
  const content = [...toInteger(raw.subarray(0, 32)), ...toInteger(raw.subarray(32))];
  return Uint8Array.from([0x30, content.length, ...content]);
}

/** Makes a key pair that was never used before. */
export async function createReleaseSigner(
  id = "test-key",
  algorithm: SignatureAlgorithm = "ecdsa-p256-sha256",
): Promise<ReleaseSigner> {
  const { subtle } = globalThis.crypto;
  const using = parameters[algorithm];
  const pair = (await subtle.generateKey(using, true, ["sign", "verify"])) as CryptoKeyPair;
  const spki = new Uint8Array(await subtle.exportKey("spki", pair.publicKey));
  const lines = toBase64(spki).replaceAll(/.{64}(?=.)/g, "$&\n");
  return {
    key: { id, publicKey: `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n` },
    algorithm,
    async sign(facts) {
      const raw = new Uint8Array(await subtle.sign(using, pair.privateKey, signedLines(facts)));
      return toBase64(algorithm === "ed25519" ? raw : toDer(raw));
    },
  };
}
