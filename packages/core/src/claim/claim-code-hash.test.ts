import { createSeededRandom } from "@device-gateway/testing";
import { scrypt } from "@noble/hashes/scrypt.js";
import { expect, test } from "vitest";
import { createSecretHash } from "../auth/secret-hash.js";
import { portableSlowHash } from "../ports/portable-slow-hash.js";
import { createFairSlowHash } from "../slow-hash/fair-slow-hash.js";
import { registrationParty } from "../slow-hash/hash-party.js";
import type { ClaimCode } from "./claim-code.js";
import { claimCodeMatches, hashClaimCode } from "./claim-code-hash.js";

const ports = {
  secretHash: createSecretHash("p".repeat(43)),
  slowHash: createFairSlowHash(portableSlowHash, { inFlight: 1, queued: 9 }, () => 0),
  scryptCost: { logN: 4, r: 8, p: 1 },
  random: createSeededRandom(),
};

const party = registrationParty(null);

test("§1 the hash of a claim code contains its parameters, so that it can be verified later", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  const stored = await hashClaimCode(ports, party, code);
  expect(stored).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  const [, , , salt, hash] = stored.split("$") as [string, string, string, string, string];
  const peppered = ports.secretHash.digest("claim-code", code);
  const again = scrypt(peppered, Buffer.from(salt, "base64"), { N: 16, r: 8, p: 1, dkLen: 32 });
  expect(Buffer.from(again)).toEqual(Buffer.from(hash, "base64"));
});

test("§1 every device has its own salt", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  expect(await hashClaimCode(ports, party, code)).not.toBe(await hashClaimCode(ports, party, code));
});

test("§1 a code matches only its own hash, whatever the cost of the hash was", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  const stored = await hashClaimCode(ports, party, code);
  const costlier = { ...ports, scryptCost: { logN: 5, r: 8, p: 2 } };
  expect(await claimCodeMatches(costlier, party, code, stored)).toBe(true);
  expect(await claimCodeMatches(ports, party, "ABCDEFGX" as ClaimCode, stored)).toBe(false);
  expect(await claimCodeMatches(ports, party, null, stored)).toBe(false);
  expect(await claimCodeMatches(ports, party, code, null)).toBe(false);
  const other = { ...ports, secretHash: createSecretHash("q".repeat(43)) };
  expect(await claimCodeMatches(other, party, code, stored)).toBe(false);
  await expect(claimCodeMatches(ports, party, code, "plain")).rejects.toThrow(TypeError);
});
