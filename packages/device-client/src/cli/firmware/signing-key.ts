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
  /** Base64, over the four lines. */
  sign(facts: SignedFacts): string;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  if (asymmetricKeyType === "ed25519") return "ed25519";
  const isP256 = asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
  return isP256 ? "ecdsa-p256-sha256" : null;
}

/** `release.private.pem` and `release.pem` are called `release`. */
const nameOf = (file: string) => basename(file).replace(/(\.private)?\.pem$/, "");

/**
 * Reads a private key of P-256 or Ed25519, as PEM without a passphrase.
 * @throws {CliError} that says what is wrong with it.
 */
export async function readSigningKey(file: string, id = nameOf(file)): Promise<SigningKey> {
  const pem = await readFile(file, "utf8").catch((fault: Error) => {
    throw new CliError(
      `--key: ${file} can't be read: ${fault.message}. Make one with: device-gateway firmware keygen`,
    );
  });
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new CliError(
      pem.includes("ENCRYPTED")
        ? `--key: ${file} has a passphrase. Sign with a copy without one: openssl pkey -in ${file} -out key.pem`
        : `--key: ${file} is no private key in PEM. It is the file that ends with .private.pem.`,
    );
  }
  const algorithm = algorithmOf(key);
  if (algorithm === null) {
    throw new CliError(
      `--key: ${file} is neither of P-256 nor Ed25519. Make one with: device-gateway firmware keygen`,
    );
  }
  const digest = algorithm === "ed25519" ? null : "sha256";
  return {
    id,
    algorithm,
    sign: (facts) => sign(digest, signedLines(facts), key).toString("base64"),
  };
}
