import { createSeededRandom } from "@device-gateway/testing";
import { scrypt } from "@noble/hashes/scrypt.js";
import { expect, test } from "vitest";
import { createSecretHash } from "../auth/secret-hash.js";
import { portableSlowHash } from "../ports/portable-slow-hash.js";
import { createFairSlowHash } from "../slow-hash/fair-slow-hash.js";
import { registrationRequester } from "../slow-hash/hash-requester.js";
import type { ClaimCode } from "./claim-code.js";
import { claimCodeMatches, decideByClaimCode, hashClaimCode } from "./claim-code-hash.js";

const ports = {
  secretHash: createSecretHash("p".repeat(43)),
  slowHash: createFairSlowHash(portableSlowHash, { inFlight: 1, queued: 9 }),
  scryptCost: { logN: 4, r: 8, p: 1 },
  random: createSeededRandom(),
  policies: { randomClaimCodes: false },
};

const requester = registrationRequester(null);

test("§1 the hash of a claim code contains its parameters, so that it can be verified later", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  const stored = await hashClaimCode(ports, requester, "gw-1", code);
  expect(stored).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  const [, , , salt, hash] = stored.split("$") as [string, string, string, string, string];
  const peppered = ports.secretHash.digest("claim-code", code);
  const again = scrypt(peppered, Buffer.from(salt, "base64"), { N: 16, r: 8, p: 1, dkLen: 32 });
  expect(Buffer.from(again)).toEqual(Buffer.from(hash, "base64"));
});

test("§1 every device has its own salt", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  expect(await hashClaimCode(ports, requester, "gw-1", code)).not.toBe(
    await hashClaimCode(ports, requester, "gw-1", code),
  );
});

test("§1 a code matches only its own hash, whatever the cost of the hash was", async () => {
  const code = "ABCDEFGH" as ClaimCode;
  const stored = await hashClaimCode(ports, requester, "gw-1", code);
  const costlier = { ...ports, scryptCost: { logN: 5, r: 8, p: 2 } };
  const matches = (own: typeof ports, given: string, hash: string | null) =>
    claimCodeMatches(own, requester, { deviceId: "gw-1", code: given as ClaimCode, stored: hash });
  expect(await matches(costlier, code, stored)).toBe(true);
  expect(await matches(ports, "ABCDEFGX", stored)).toBe(false);
  expect(await matches(ports, code, null)).toBe(false);
  const other = { ...ports, secretHash: createSecretHash("q".repeat(43)) };
  expect(await matches(other, code, stored)).toBe(false);
  await expect(matches(ports, code, "plain")).rejects.toThrow(TypeError);
});

const randomCode = "9F3K7Q2M5T8W4X6Z" as ClaimCode;
const declared = { ...ports, policies: { randomClaimCodes: true } };

test("§1 a declared random code is stored as a keyed hash of device and code, and a short one never", async () => {
  const stored = await hashClaimCode(declared, requester, "gw-1", randomCode);
  const keyed = declared.secretHash.encode("device-claim-code", `gw-1\0${randomCode}`);
  expect(stored).toBe(`$hmac-sha256$v=1$${keyed}`);
  expect(await hashClaimCode(declared, requester, "gw-2", randomCode)).not.toBe(stored);
  const short = randomCode.slice(1) as ClaimCode;
  expect(await hashClaimCode(declared, requester, "gw-1", short)).toMatch(/^\$scrypt\$/);
  expect(await hashClaimCode(ports, requester, "gw-1", randomCode)).toMatch(/^\$scrypt\$/);
});

test("§3 every refusal takes exactly one slow hash, whatever is stored and whatever was wrong", async () => {
  let hashes = 0;
  const counting: typeof ports = {
    ...declared,
    slowHash: createFairSlowHash(
      {
        derive: (...input) => {
          hashes += 1;
          return portableSlowHash.derive(...input);
        },
      },
      { inFlight: 1, queued: 9 },
    ),
  };
  const keyed = await hashClaimCode(declared, requester, "gw-1", randomCode);
  const slow = await hashClaimCode(ports, requester, "gw-1", randomCode);
  const decide = async (
    code: ClaimCode | null,
    stored: string | null,
    accepts = (codeMatches: boolean) => codeMatches,
  ) => {
    hashes = 0;
    const check = { deviceId: "gw-1", code, stored };
    return [await decideByClaimCode(counting, requester, check, accepts), hashes];
  };
  const never = () => false;
  const wrong = randomCode.replace("9", "8") as ClaimCode;
  for (const stored of [keyed, slow, null]) {
    expect(await decide(wrong, stored)).toEqual([false, 1]);
    expect(await decide(null, stored)).toEqual([false, 1]);
    expect(await decide(randomCode, stored, never)).toEqual([false, 1]);
  }
  expect(await decide(randomCode, keyed)).toEqual([true, 0]);
  expect(await decide(randomCode, slow)).toEqual([true, 1]);
  const other = { deviceId: "gw-2", code: randomCode, stored: keyed };
  expect(await decideByClaimCode(counting, requester, other, (matches) => matches)).toBe(false);
});
