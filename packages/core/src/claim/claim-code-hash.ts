import type { SecretHash } from "../auth/secret-hash.js";
import type { Random } from "../ports/random.js";
import type { ScryptCost } from "../ports/slow-hash.js";
import { equalBytes, fromBase64Url, toBase64Url } from "../shared/bytes.js";
import type { FairSlowHash } from "../slow-hash/fair-slow-hash.js";
import type { HashParty } from "../slow-hash/hash-party.js";
import type { ClaimCode } from "./claim-code.js";

interface Ports {
  readonly secretHash: SecretHash;
  readonly slowHash: FairSlowHash;
  readonly scryptCost: ScryptCost;
  readonly random: Random;
}

interface StoredHash {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Base64 without padding, as the PHC string format requires. */
const toBase64 = (bytes: Uint8Array) =>
  toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");
const fromBase64 = (text: string) => fromBase64Url(text.replaceAll("+", "-").replaceAll("/", "_"));

function parseStored(stored: string): StoredHash {
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored);
  if (parts === null) throw new TypeError("A stored claim code hash has an unknown format.");
  const [, logN, r, p, salt, hash] = parts as unknown as string[];
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: fromBase64(salt as string),
    hash: fromBase64(hash as string),
  };
}

/**
 * Hashes a claim code for storage (§1): first with the pepper, which is not in the database, then with scrypt
 * and a new salt. Returns a PHC string, which contains the parameters of scrypt and the salt.
 */
export async function hashClaimCode(
  ports: Ports,
  party: HashParty,
  code: ClaimCode,
): Promise<string> {
  const { logN, r, p } = ports.scryptCost;
  const salt = ports.random.bytes(16);
  const peppered = ports.secretHash.digest("claim-code", code);
  const hash = await ports.slowHash.derive(party, peppered, salt, ports.scryptCost);
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`;
}

/**
 * Returns whether a code matches the stored hash. It always computes exactly one slow hash (§3): if the code or
 * the stored hash is null, it does the same work and returns false.
 */
export async function claimCodeMatches(
  ports: Ports,
  party: HashParty,
  code: ClaimCode | null,
  stored: string | null,
): Promise<boolean> {
  const placeholder = {
    cost: ports.scryptCost,
    salt: new Uint8Array(16),
    hash: new Uint8Array(32),
  };
  const { cost, salt, hash } = stored === null ? placeholder : parseStored(stored);
  const peppered = ports.secretHash.digest("claim-code", code ?? "");
  const equal = equalBytes(await ports.slowHash.derive(party, peppered, salt, cost), hash);
  return equal && code !== null && stored !== null;
}
