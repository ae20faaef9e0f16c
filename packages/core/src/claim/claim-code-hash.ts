import type { SecretHash } from "../auth/secret-hash.js";
import type { Policies } from "../context.js";
import type { Random } from "../ports/random.js";
import type { ScryptCost } from "../ports/slow-hash.js";
import { equalBytes, fromBase64Url, toBase64Url, toUtf8 } from "../shared/bytes.js";
import type { FairSlowHash } from "../slow-hash/fair-slow-hash.js";
import type { HashRequester } from "../slow-hash/hash-requester.js";
import type { ClaimCode } from "./claim-code.js";

interface Ports {
  readonly secretHash: SecretHash;
  readonly slowHash: FairSlowHash;
  readonly scryptCost: ScryptCost;
  readonly random: Random;
  readonly policies: Pick<Policies, "randomClaimCodes">;
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

/** 36^16 is above 2^80 and 36^15 is not, so a shorter code cannot have 80 random bits. */
const randomCodeLength = 16;
const keyedPrefix = "$hmac-sha256$v=1$";

const keyedHash = ({ secretHash }: Ports, deviceId: string, code: string) =>
  keyedPrefix + secretHash.encode("device-claim-code", `${deviceId}\0${code}`);

const isKeyed = (stored: string | null): stored is string =>
  stored?.startsWith(keyedPrefix) === true;

/** Returns the prefix that the stored hash of a code has under the current options. */
function prefixFor({ policies, scryptCost }: Ports, code: ClaimCode): string {
  if (policies.randomClaimCodes && code.length >= randomCodeLength) return keyedPrefix;
  const { logN, r, p } = scryptCost;
  return `$scrypt$ln=${logN},r=${r},p=${p}$`;
}

/** Returns whether the stored hash of a code has the current form and cost. */
export const isCurrentHash = (ports: Ports, code: ClaimCode, stored: string | null): boolean =>
  stored?.startsWith(prefixFor(ports, code)) === true;

/**
 * Hashes a claim code for storage (§1): first with the pepper, which is not in the database, then with scrypt and a new
 * salt. Returns a PHC string, which contains the parameters of scrypt and the salt. If the embedder declares that codes
 * are random, returns only a keyed hash of device and code: 80 random bits cannot be guessed. A code that is too short
 * for that gets the slow hash all the same.
 */
export async function hashClaimCode(
  ports: Ports,
  requester: HashRequester,
  deviceId: string,
  code: ClaimCode,
): Promise<string> {
  const prefix = prefixFor(ports, code);
  if (prefix === keyedPrefix) return keyedHash(ports, deviceId, code);
  const salt = ports.random.bytes(16);
  const peppered = ports.secretHash.digest("claim-code", code);
  const hash = await ports.slowHash.derive(requester, peppered, salt, ports.scryptCost);
  return `${prefix}${toBase64(salt)}$${toBase64(hash)}`;
}

export interface CodeCheck {
  readonly deviceId: string;
  /** Null: the request has no valid code. */
  readonly code: ClaimCode | null;
  /** Null: there is no code to compare with. */
  readonly stored: string | null;
}

const placeholderOf = ({ scryptCost: cost }: Ports): StoredHash => ({
  cost,
  salt: new Uint8Array(16),
  hash: new Uint8Array(32),
});

/**
 * Decides about a request by its claim code. Every refusal costs exactly one slow hash (§3), whatever is stored and
 * whatever was wrong, so that refusals cannot be told apart.
 */
export async function decideByClaimCode(
  ports: Ports,
  requester: HashRequester,
  { deviceId, code, stored }: CodeCheck,
  accepts: (codeMatches: boolean) => boolean,
): Promise<boolean> {
  // Computes both hashes, whichever form is stored.
  const keyed = toUtf8(keyedHash(ports, deviceId, code ?? ""));
  const peppered = ports.secretHash.digest("claim-code", code ?? "");
  if (isKeyed(stored) && accepts(equalBytes(keyed, toUtf8(stored)) && code !== null)) return true;
  const { cost, salt, hash } =
    stored === null || isKeyed(stored) ? placeholderOf(ports) : parseStored(stored);
  const equal = equalBytes(await ports.slowHash.derive(requester, peppered, salt, cost), hash);
  const isSlow = stored !== null && !isKeyed(stored);
  return isSlow && accepts(equal && code !== null);
}

/**
 * Returns whether a code is the stored one. Use it only for requests that are accepted whether or not the code matches.
 */
export async function claimCodeMatches(
  ports: Ports,
  requester: HashRequester,
  check: CodeCheck & { readonly code: ClaimCode },
): Promise<boolean> {
  const { deviceId, code, stored } = check;
  if (stored === null) return false;
  if (isKeyed(stored)) return equalBytes(toUtf8(keyedHash(ports, deviceId, code)), toUtf8(stored));
  return decideByClaimCode(ports, requester, check, (codeMatches) => codeMatches);
}
