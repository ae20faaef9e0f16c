/**
 * A gateway on SQLite with an active release. Arguments: its folder and the number of devices. Prints its port,
 * the devices' tokens and the release as JSON. Then prints, for each line on stdin, the microseconds of CPU
 * that it has used.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGateway, generateSecrets, operator, publishRelease } from "@device-gateway/core";
import { signedLines } from "@device-gateway/core/contract";
import { createFileArtifactStore, toNodeListener } from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";

const [, , folder = "", devices = ""] = process.argv;
const imageBytes = 32_000_000;
const hardware = { hardwareId: "bench", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
const gateway = await createGateway({
  store: await openSqliteStore({ file: join(folder, "gateway.db") }),
  secrets: generateSecrets(),
  scryptCost: { logN: 4, r: 8, p: 1 },
  limits: {
    authPerMinute: 1_000_000,
    telemetryPerMinute: 1_000_000,
    telemetryBytesPerMinute: 0,
    unclaimedBytesPerMinute: 0,
  },
  firmware: {
    keys: [{ id: "bench", publicKey: pem }],
    artifacts: await createFileArtifactStore({ folder: join(folder, "images") }),
  },
});
const server = createServer(toNodeListener(gateway)).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const image = randomBytes(imageBytes);
const facts = {
  version: "2.0.0",
  targetHardware: hardware.hardwareId,
  releasedAt: "2026-01-31T12:00:00Z",
  sha256: createHash("sha256").update(image).digest("hex"),
};
const signature = sign(null, signedLines(facts), privateKey).toString("base64");
const published = await publishRelease(gateway.as(operator({ id: "bench" })), {
  release: {
    ...facts,
    ...{ size: image.length, signature, signingKeyId: "bench", signatureAlgorithm: "ed25519" },
  },
  image,
});
if (published.isErr()) throw new Error(`The release was not published: ${published.error.code}`);

const tokens: string[] = [];
for (let n = 0; n < Number(devices); n++) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/device/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ deviceId: `gw-${n}`, ...hardware }),
  });
  tokens.push(((await answer.json()) as { token: string }).token);
}
console.log(JSON.stringify({ port, tokens, releaseId: published.value.id }));

for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  console.log(String(user + system));
}
