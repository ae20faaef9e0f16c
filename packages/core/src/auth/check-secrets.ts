import type { GatewayStore } from "../ports/gateway-store.js";
import type { SecretHash } from "./secret-hash.js";

/** Reports that the storage was first used with other secrets. */
export class WrongSecretsError extends Error {
  override readonly name = "WrongSecretsError";
}

/**
 * Compares the pepper with the key-check value in the storage. The first gateway on an empty storage stores the value,
 * so gateways with other secrets do not start on it.
 * @throws {WrongSecretsError} if the storage was first used with another pepper.
 */
export async function checkSecrets(
  store: Pick<GatewayStore, "keepKeyCheck">,
  secretHash: SecretHash,
): Promise<void> {
  const stored = await store.keepKeyCheck(secretHash.encode("key-check", ""));
  if (secretHash.matches("key-check", "", stored)) return;
  throw new WrongSecretsError(
    "secrets: this storage was first used with another pepper, so no registered device could log in. Pass the secrets that the other gateways on this storage use, or those from its backup.",
  );
}
