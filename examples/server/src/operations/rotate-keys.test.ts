import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type GatewaySecrets,
  generateSecrets,
  operator,
  publishRelease,
} from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import {
  createReleaseSigner,
  type ReleaseSigner,
  sampleImage,
  toArtifactFacts,
} from "@device-gateway/testing";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { makeTempFolder, startTestServer, type TestServer } from "../testing/start-test-server.js";

useCheapScrypt();

const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

async function changeSecrets(
  folder: string,
  change: (secrets: GatewaySecrets) => GatewaySecrets,
): Promise<void> {
  const file = join(folder, "secrets.json");
  const secrets = JSON.parse(await readFile(file, "utf8")) as GatewaySecrets;
  await writeFile(file, JSON.stringify(change(secrets)), { mode: 0o600 });
}

const readConfig = async (url: string, token: string) =>
  (await fetch(`${url}/api/v1/device/config`, { headers: { authorization: `Bearer ${token}` } }))
    .status;

it("a token key can be rotated while old tokens stay valid, and a leaked key can be removed at once", async () => {
  const DATA_DIR = await makeTempFolder();
  const first = await startTestServer({ DATA_DIR });
  const client = createDeviceClient({ baseUrl: first.url });
  const registered = (await client.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  const { token: old, deviceSecret } = registered;
  await first.stop();

  const newKeys = generateSecrets().tokenKeys;
  await changeSecrets(DATA_DIR, (secrets) => {
    return { ...secrets, tokenKeys: [...newKeys, ...secrets.tokenKeys] };
  });
  const second = await startTestServer({ DATA_DIR });
  expect(await readConfig(second.url, old)).toBe(200);
  const login = createDeviceClient({ baseUrl: second.url });
  const credentials = { deviceId: "gw-1", deviceSecret };
  const { token: renewed } = (await login.login(credentials))._unsafeUnwrap();
  await second.stop();

  await changeSecrets(DATA_DIR, (secrets) => ({ ...secrets, tokenKeys: [...newKeys] }));
  const third = await startTestServer({ DATA_DIR });
  expect(await readConfig(third.url, old)).toBe(401);
  expect(await readConfig(third.url, renewed)).toBe(200);
  const back = createDeviceClient({ baseUrl: third.url });
  expect((await back.login(credentials)).isOk()).toBe(true);
});

it("a new signing key works beside the old one, and after the old key is removed its releases are refused", async () => {
  const DATA_DIR = await makeTempFolder();
  const keys = join(DATA_DIR, "firmware-keys");
  await mkdir(keys);
  const [oldSigner, newSigner] = [
    await createReleaseSigner("2026"),
    await createReleaseSigner("2027"),
  ];
  const put = ({ key }: ReleaseSigner) =>
    writeFile(join(keys, `${key.id}.public.pem`), key.publicKey);
  const publish = async ({ gateway }: TestServer, version: string, signer: ReleaseSigner) => {
    const image = sampleImage(64);
    const releasedAt = "2026-01-31T12:00:00Z";
    const facts = {
      version,
      targetHardware: "board",
      releasedAt,
      sha256: toArtifactFacts(image).sha256,
    };
    const signature = await signer.sign(facts);
    const { key, algorithm } = signer;
    const release = {
      ...{ ...facts, size: image.length, signature, signingKeyId: key.id },
      signatureAlgorithm: algorithm,
    };
    const published = await publishRelease(gateway.as(operator({ id: "ops" })), {
      release,
      image,
    });
    return published.isOk() ? "published" : published.error.code;
  };
  await put(oldSigner);
  const first = await startTestServer({ DATA_DIR });
  expect(await publish(first, "1.0.0", oldSigner)).toBe("published");
  expect(await publish(first, "1.1.0", newSigner)).toBe("unknown_signing_key");
  await first.stop();
  await put(newSigner);
  const second = await startTestServer({ DATA_DIR });
  expect(await publish(second, "1.1.0", newSigner)).toBe("published");
  expect(await publish(second, "1.2.0", oldSigner)).toBe("published");
  await second.stop();
  await rm(join(keys, "2026.public.pem"));
  const third = await startTestServer({ DATA_DIR });
  expect(await publish(third, "1.3.0", oldSigner)).toBe("unknown_signing_key");
  expect(await publish(third, "1.3.0", newSigner)).toBe("published");
});
