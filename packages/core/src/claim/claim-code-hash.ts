import type { SecretHash } from "../auth/secret-hash.js";
import { toBase64Url } from "../bytes.js";
import type { Random } from "../ports/random.js";
import type { ScryptCost, SlowHash } from "../ports/slow-hash.js";
import type { ClaimCode } from "./claim-code.js";

interface Ports {
  readonly secretHash: SecretHash;
  readonly slowHash: SlowHash;
  readonly scryptCost: ScryptCost;
  readonly random: Random;
}

/** Base64 without padding, as the PHC string format has it. */
const toBase64 = (bytes: Uint8Array) =>
  toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");

/**
 * Hashes a claim code for storage (contract §1): keyed with the pepper, which is not in the
 * database, then with scrypt and a salt of its own, as a PHC string that says how it was made.
 */
export async function hashClaimCode(ports: Ports, code: ClaimCode): Promise<string> {
  const { logN, r, p } = ports.scryptCost;
  const salt = ports.random.bytes(16);
  const peppered = ports.secretHash.digest("claim-code", code);
  const hash = await ports.slowHash.derive(peppered, salt, ports.scryptCost);
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`;
}
