import type { GatewayStore } from "../ports/gateway-store.js";
import type { SecretHash } from "./secret-hash.js";

/** The secrets are not those with which the storage was first used. */
export class WrongSecretsError extends Error {
  override readonly name = "WrongSecretsError";
}

/**
 * Compares the pepper with the key-check value in the storage. The first gateway of an empty storage stores the value,
 * so that of several gateways with different secrets only one starts.
 * @throws {WrongSecretsError} if the pepper is another one.
 */
export async function checkSecrets(
  store: Pick<GatewayStore, "keepKeyCheck">,
  secretHash: SecretHash,
): Promise<void> {
  const stored = await store.keepKeyCheck(secretHash.encode("key-check", ""));
  if (secretHash.matches("key-check", "", stored)) return;
  throw new WrongSecretsError(
    "secrets: the pepper is not the one of this storage, so no registered device could log in. Pass the secrets of the other gateways on this storage, or of its backup.",
  );
}
