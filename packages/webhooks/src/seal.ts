import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** What only the sender may read of an endpoint. */
export interface EndpointSecrets {
  /** May contain credentials. */
  readonly url: string;
  /** The newest first. `until` is null for the current one, and the end of a former one in epoch milliseconds. */
  readonly secrets: readonly { readonly value: string; readonly until: number | null }[];
}

/** Encrypts and decrypts the secrets of endpoints with AES-256-GCM. */
export interface Seal {
  close(endpointId: string, secrets: EndpointSecrets): string;
  /** @throws {Error} if the text was sealed for another endpoint or under another pepper. */
  open(endpointId: string, sealed: string): EndpointSecrets;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** Derives the key from the gateway's pepper (HKDF, RFC 5869), so that a database dump alone reveals nothing. */
export function createSeal(pepper: string): Seal {
  const key = Buffer.from(
    hkdfSync("sha256", Buffer.from(pepper, "base64url"), "", "webhook endpoints", 32),
  );
  return {
    close(endpointId, secrets) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(endpointId));
      const parts = [iv, cipher.update(JSON.stringify(secrets), "utf8"), cipher.final()];
      return Buffer.concat([...parts, cipher.getAuthTag()]).toString("base64url");
    },
    open(endpointId, sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(endpointId))
        .setAuthTag(bytes.subarray(-tagBytes));
      const plain = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()];
      return JSON.parse(Buffer.concat(plain).toString()) as EndpointSecrets;
    },
  };
}
