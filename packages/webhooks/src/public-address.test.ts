import { generateSecrets } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { postMessage } from "./post-message.js";
import { isPublicAddress, lookUpPublic } from "./public-address.js";
import { createWebhookManager } from "./webhook-manager.js";

const privateAddresses = [
  ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1"],
  ...["192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b:1::1"],
  ...["2002:7f00:1::", "2001::1", "2001:db8::1", "::127.0.0.1", "text", ""],
];

test.each(privateAddresses)("%s is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(["1.1.1.1", "198.51.100.7".replace("198.51.100.7", "8.8.8.8"), "2606:4700:4700::1111"])(
  "%s is a public address",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test("a name that resolves to a private address is refused when the socket looks it up", async () => {
  const outcome = await new Promise((resolve) => {
    lookUpPublic("localhost", { all: true }, (error) => resolve(error?.message));
  });
  expect(outcome).toBe("localhost has no public address");
});

test.each([
  "http://127.0.0.1:1/",
  "http://localhost:1/",
  "http://[::1]:1/",
  "http://2130706433:1/",
])("nothing connects to %s, whoever stored the URL", async (url) => {
  const outcome = await postMessage({
    ...{ url: new URL(url), headers: {}, body: "{}", timeoutMs: 5_000, allowIntranet: false },
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({
    status: null,
    error: expect.stringMatching(/no public address/),
  });
});

test.each([
  ["text", /URL/],
  ["http://example.com", /https/],
  ["ftp://example.com", /https/],
  ["https://169.254.169.254/", /public/],
  ["https://0x7f.1/", /public/],
  ["https://[::ffff:10.0.0.1]/", /public/],
  [`https://example.com/${"x".repeat(2_000)}`, /2000 characters/],
])("an endpoint cannot have the URL %s", async (url, message) => {
  const manager = createWebhookManager(createMemoryStore(), { secrets: generateSecrets() });
  const created = await manager.create({ url, actor: "olga" });
  expect(created).toMatchObject({ kind: "invalid", message: expect.stringMatching(message) });
});
