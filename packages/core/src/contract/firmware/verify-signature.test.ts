import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { signedLines } from "./signed-lines.js";
import { importVerifyingKey, type VerifyingKey, verifyRelease } from "./verify-signature.js";

const facts = {
  version: "1.4.0",
  targetHardware: "gw-2 ß🙂",
  releasedAt: "2026-01-31T12:00:00Z",
  sha256: "ab".repeat(32),
};
const lines = signedLines(facts);
const toPem = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed25519 = generateKeyPairSync("ed25519");

const folder = mkdtempSync(join(tmpdir(), "signature-"));
afterAll(() => rmSync(folder, { recursive: true }));

const signed = {
  "ecdsa-p256-sha256": sign("sha256", lines, p256.privateKey).toString("base64"),
  ed25519: sign(null, lines, ed25519.privateKey).toString("base64"),
} as const;

async function keyOf(pair: { publicKey: KeyObject }): Promise<VerifyingKey> {
  const key = await importVerifyingKey(toPem(pair.publicKey));
  if (key === null) throw new Error("The test's public key cannot be read.");
  return key;
}

test("§6 the signed bytes are four lines without a newline at the end", () => {
  expect(new TextDecoder().decode(lines)).toBe(
    `1.4.0\ngw-2 ß🙂\n2026-01-31T12:00:00Z\n${"ab".repeat(32)}`,
  );
});

test.each([
  ["ecdsa-p256-sha256", p256],
  ["ed25519", ed25519],
] as const)("§6 %s: only the signed release verifies", async (algorithm, pair) => {
  const key = await keyOf(pair);
  expect(key.algorithm).toBe(algorithm);
  const release = { ...facts, signature: signed[algorithm], signatureAlgorithm: algorithm };
  expect(await verifyRelease(key, release)).toBe(true);
  for (const change of [
    { version: "1.4.1" },
    { targetHardware: "gw-2" },
    { releasedAt: "2026-01-31T12:00:00.000Z" },
    { sha256: `${"ab".repeat(31)}ac` },
    { version: "1.4.0\ngw-2 ß🙂", targetHardware: "x" },
    { signature: "" },
    { signature: "!" },
    { signature: signed[algorithm === "ed25519" ? "ecdsa-p256-sha256" : "ed25519"] },
    { signatureAlgorithm: algorithm === "ed25519" ? "ecdsa-p256-sha256" : "ed25519" } as const,
  ]) {
    expect([change, await verifyRelease(key, { ...release, ...change })]).toEqual([change, false]);
  }
  const bytes = Buffer.from(signed[algorithm], "base64");
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const signature = other.toString("base64");
    expect([bit, await verifyRelease(key, { ...release, signature })]).toEqual([bit, false]);
  }
});

test("§6 a release does not verify with another key", async () => {
  const other = await keyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }));
  const signature = signed["ecdsa-p256-sha256"];
  const release = { ...facts, signature, signatureAlgorithm: "ecdsa-p256-sha256" } as const;
  expect(await verifyRelease(other, release)).toBe(false);
});

test("§6 only public keys of P-256 or Ed25519 are accepted", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 });
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const priv = p256.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const pems = ["", "x", toPem(rsa.publicKey), toPem(p384.publicKey), priv];
  const cut = toPem(p256.publicKey).replace(/\n.{20}/, "\n");
  for (const pem of [...pems, cut]) expect(await importVerifyingKey(pem)).toBeNull();
});

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!hasOpenssl())("§6 a signature by openssl verifies here and with openssl", async () => {
  const path = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "pipe" });
  openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("key.pem"));
  openssl("ec", "-in", path("key.pem"), "-pubout", "-out", path("key.public.pem"));
  writeFileSync(path("lines"), lines);
  openssl("dgst", "-sha256", "-sign", path("key.pem"), "-out", path("signature"), path("lines"));
  const key = await importVerifyingKey(readFileSync(path("key.public.pem"), "utf8"));
  const signature = readFileSync(path("signature")).toString("base64");
  const release = { ...facts, signature, signatureAlgorithm: "ecdsa-p256-sha256" } as const;
  expect(key && (await verifyRelease(key, release))).toBe(true);
  const verify = ["-verify", path("key.public.pem"), "-signature", path("signature")];
  expect(openssl("dgst", "-sha256", ...verify, path("lines")).toString()).toContain("Verified OK");
});
