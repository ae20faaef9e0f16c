import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { signedLines } from "@device-gateway/core/contract";
import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { readFirmwareKeys } from "./data/firmware-keys.js";
import { startServer } from "./server.js";
import { Settings } from "./settings/settings.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { customerSettings, signCustomer } from "./testing/customer.js";
import { makeTempFolder, startTestServer } from "./testing/start-test-server.js";

useCheapScrypt();

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
const image = Buffer.alloc(300_000, "firmware");

function describeRelease() {
  const facts = {
    version: "1.4.0",
    targetHardware: "board",
    releasedAt: "2026-01-31T12:00:00Z",
    sha256: createHash("sha256").update(image).digest("hex"),
  };
  const signature = sign("sha256", signedLines(facts), privateKey).toString("base64");
  return { ...facts, size: image.length, signature, signingKeyId: "release-2026" };
}

describe("firmware on the bundled server (§6, §8)", () => {
  it("reaches a device after an operator's upload and a restart of the server", async () => {
    const DATA_DIR = await makeTempFolder();
    await mkdir(join(DATA_DIR, "firmware-keys"));
    await writeFile(join(DATA_DIR, "firmware-keys", "release-2026.public.pem"), pem);
    await writeFile(join(DATA_DIR, "firmware-keys", "notes.txt"), "not a key");
    const settings = Settings.parse({ PORT: 0, DATA_DIR, ...customerSettings });
    const first = await startServer(settings, { logger: silentLogger });
    const token = await signCustomer("op-1", { roles: ["operator"] });
    const asOperator = async (method: string, path: string, body: BodyInit) => {
      const url = `${first.url}/api/v1/operator/firmware/releases${path}`;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return fetch(url, { method, headers, body });
    };
    const created = await asOperator("POST", "", JSON.stringify(describeRelease()));
    expect(created.status).toBe(201);
    const { release } = (await created.json()) as { release: { id: number } };
    expect((await asOperator("PUT", `/${release.id}/image`, image)).status).toBe(200);
    const active = JSON.stringify({ status: "active" });
    expect((await asOperator("PATCH", `/${release.id}`, active)).status).toBe(200);
    await first.stop();
    expect(await readdir(join(DATA_DIR, "firmware"))).toEqual([describeRelease().sha256]);

    const { url, stop } = await startServer(settings, { logger: silentLogger });
    onTestFinished(stop);
    const device = createDeviceClient({ baseUrl: url });
    const hardware = { hardwareId: "board", firmwareVersion: "1.3.9", claimCode: "ABCD-EFGH" };
    (await device.register({ deviceId: "gw-1", ...hardware }))._unsafeUnwrap();
    const download = await fetch(`${url}/v1/ota/firmware/${release.id}`, {
      headers: { authorization: `Bearer ${device.token}` },
    });
    expect(download.status).toBe(200);
    expect(Buffer.from(await download.arrayBuffer()).equals(image)).toBe(true);
  });

  it("reads one key from a file that is named after the key", async () => {
    const folder = await makeTempFolder();
    const file = join(folder, "one.public.pem");
    await writeFile(file, pem);
    expect(await readFirmwareKeys({ FIRMWARE_KEYS: file, DATA_DIR: "" })).toEqual([
      { id: "one", publicKey: pem },
    ]);
  });

  it("reports what is wrong with unusable keys", async () => {
    const folder = await makeTempFolder();
    await expect(startTestServer({ FIRMWARE_KEYS: join(folder, "none") })).rejects.toThrow(
      /firmware's public keys cannot be read: ENOENT.*FIRMWARE_KEYS=/,
    );
    await writeFile(join(folder, "broken.public.pem"), "x");
    await expect(startTestServer({ FIRMWARE_KEYS: folder })).rejects.toThrow(
      /broken.public.pem is not a P-256 or Ed25519 public key. Create it .*: openssl pkey/,
    );
  });
});
