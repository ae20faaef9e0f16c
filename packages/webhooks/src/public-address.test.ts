import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { generateSecrets } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { labelOf } from "./endpoint-url.js";
import { postMessage } from "./post-message.js";
import { createPublicLookup, isPublicAddress, lookUpPublic } from "./public-address.js";
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

/** Starts a name server that has one IPv4 address for each name, or that never answers. */
async function startNameServer(address: readonly number[] | null): Promise<Resolver> {
  const server = createSocket("udp4");
  onTestFinished(() => void server.close());
  server.on("message", (query, { port, address: from }) => {
    if (address === null) return;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isIpv4 = question.at(-3) === 1;
    const header = Buffer.from([0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
    const record = [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address];
    const answer = isIpv4 ? Buffer.from(record) : Buffer.alloc(0);
    server.send(Buffer.concat([query.subarray(0, 2), header, question, answer]), port, from);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const resolver = new Resolver({ timeout: 600_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  onTestFinished(() => resolver.cancel());
  return resolver;
}

const lookUp = (resolver: Resolver, host: string) =>
  new Promise((resolve) => {
    createPublicLookup(resolver)(host, { all: true }, (error, found) =>
      resolve(error?.message ?? found),
    );
  });

test("a name has the public addresses that its name server returns", async () => {
  const found = await lookUp(await startNameServer([8, 8, 4, 4]), "public.example.com");
  expect(found).toEqual([{ address: "8.8.4.4", family: 4 }]);
  const refused = await lookUp(await startNameServer([169, 254, 169, 254]), "private.example.com");
  expect(refused).toBe("private.example.com has no public address");
});

test("names whose server does not answer do not delay other lookups of the process", async () => {
  const resolver = await startNameServer(null);
  for (let n = 0; n < 20; n++) void lookUp(resolver, `slow-${n}.example.com`);
  expect(await lookup("localhost")).toMatchObject({ address: expect.any(String) });
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

test("a URL whose credentials cannot be decoded fails as any other delivery, whoever stored it", async () => {
  const outcome = await postMessage({
    ...{ url: new URL("https://a:%zz@example.com/"), headers: {}, body: "{}", timeoutMs: 5_000 },
    ...{ allowIntranet: false, signal: new AbortController().signal },
  });
  expect(outcome).toMatchObject({ status: null, error: "URI malformed" });
});

test.each([
  ["text", /URL/],
  ["https://a:%zz@example.com/", /percent-encoded/],
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

test("the label of a URL has no credentials, no query and no long part of the path", () => {
  const url = "https://user:word@hooks.example.com/services/T012AB3CD/XvW9kQpLr27TzYbN?token=1";
  expect(labelOf(new URL(url))).toBe("https://hooks.example.com/services/T012AB3CD/…?…");
});
