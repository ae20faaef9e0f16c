import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import {
  type SignatureAlgorithm,
  type SignedFacts,
  signedLines,
} from "@device-gateway/core/contract";
import { CliError } from "../command.js";

export interface SigningKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** Signs the four lines (§6). Returns base64. */
  sign(facts: SignedFacts): string;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  if (asymmetricKeyType === "ed25519") return "ed25519";
  const isP256 = asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
  return isP256 ? "ecdsa-p256-sha256" : null;
}

/** Returns `release` for `release.private.pem` and `release.pem`. */
const nameOf = (file: string) => basename(file).replace(/(\.private)?\.pem$/, "");

/**
 * Reads a P-256 or Ed25519 private key from a PEM file without a passphrase.
 * @throws {CliError} if the file is not such a key.
 */
export async function readSigningKey(file: string, id = nameOf(file)): Promise<SigningKey> {
  const pem = await readFile(file, "utf8").catch((fault: Error) => {
    throw new CliError(
      `--key: ${file} cannot be read: ${fault.message}. To create a key: device-gateway firmware keygen`,
    );
  });
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new CliError(
      pem.includes("ENCRYPTED")
        ? `--key: ${file} has a passphrase. Use a copy without one: openssl pkey -in ${file} -out key.pem`
        : `--key: ${file} is not a private key in PEM. Pass the file whose name ends with .private.pem.`,
    );
  }
  const algorithm = algorithmOf(key);
  if (algorithm === null) {
    throw new CliError(
      `--key: ${file} is not a P-256 or Ed25519 key. To create one: device-gateway firmware keygen`,
    );
  }
  const digest = algorithm === "ed25519" ? null : "sha256";
  return {
    id,
    algorithm,
    sign: (facts) => sign(digest, signedLines(facts), key).toString("base64"),
  };
}
