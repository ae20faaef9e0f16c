import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.js";
import { makeTempFolder } from "../../testing/temp-folder.js";

test.each([
  ["ecdsa-p256-sha256", "sha256"],
  ["ed25519", null],
])(
  "creates a key pair for %s, and only the current user can read the private key",
  async (algorithm, digest) => {
    const folder = join(await makeTempFolder(), "keys");
    const args = ["firmware", "keygen", "--out", folder, "--id", "main", "--algorithm", algorithm];
    const { exitCode, out } = await runCli(args);
    const files = ["private", "public"].map((kind) => join(folder, `main.${kind}.pem`));
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: files.join("\n") });
    const [secret = "", open = ""] = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const text = Buffer.from("text");
    const signature = sign(digest, text, createPrivateKey(secret));
    expect(verify(digest, text, createPublicKey(open), signature)).toBe(true);
    expect((await stat(files[0] ?? "")).mode & 0o777).toBe(0o600);
  },
);

test.each(["private", "public"])(
  "never overwrites a %s key, and leaves no single key of a new pair",
  async (kind) => {
    const folder = await makeTempFolder();
    const file = join(folder, `release.${kind}.pem`);
    await writeFile(file, "precious");
    const { exitCode, err } = await runCli(["firmware", "keygen", "--out", folder]);
    expect(exitCode).toBe(1);
    expect(err).toContain(`${file} already exists`);
    expect(await readFile(file, "utf8")).toBe("precious");
    const other = join(folder, `release.${kind === "private" ? "public" : "private"}.pem`);
    await expect(stat(other)).rejects.toThrow("ENOENT");
  },
);

test.each([
  [["--algorithm", "rsa"], "ecdsa-p256-sha256 or ed25519"],
  [["--id", "../up"], "Use 1 to 64 of"],
])("%j is rejected", async (options, sentence) => {
  const { exitCode, err } = await runCli(["firmware", "keygen", ...options]);
  expect(exitCode).toBe(2);
  expect(err).toContain(sentence);
});

test("a folder that cannot be created is an error with advice", async () => {
  const file = join(await makeTempFolder(), "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "keys")]) {
    const { exitCode, err } = await runCli(["firmware", "keygen", "--out", folder]);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^--out: .* cannot be created: E\w+: .*\. Choose another folder\.$/);
  }
});
