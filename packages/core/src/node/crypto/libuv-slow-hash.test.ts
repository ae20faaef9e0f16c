import { expect, test } from "vitest";
import { portableSlowHash } from "../../ports/portable-slow-hash.js";
import { createLibuvSlowHash } from "./libuv-slow-hash.js";

const cost = { logN: 8, r: 8, p: 2 };
const bytes = (text: string) => new TextEncoder().encode(text);

test("libuv's scrypt and the portable one derive the same bytes", async () => {
  const libuv = createLibuvSlowHash();
  for (const [password, salt] of [
    ["password", "NaCl"],
    ["", ""],
    ["\0ü", "x".repeat(99)],
  ] as const) {
    const expected = await portableSlowHash.derive(bytes(password), bytes(salt), cost);
    expect(await libuv.derive(bytes(password), bytes(salt), cost)).toEqual(expected);
  }
});

test("libuv's scrypt passes the test vector of RFC 7914, section 12, for N=1024, r=8, p=16", async () => {
  const hash = await createLibuvSlowHash().derive(bytes("password"), bytes("NaCl"), {
    logN: 10,
    r: 8,
    p: 16,
  });
  expect(Buffer.from(hash).toString("hex")).toBe(
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",
  );
});

test("a cost that scrypt does not support is rejected", async () => {
  const slowHash = createLibuvSlowHash();
  const refused = slowHash.derive(bytes("a"), bytes("b"), { logN: 40, r: 8, p: 1 });
  await expect(refused).rejects.toThrow();
});
