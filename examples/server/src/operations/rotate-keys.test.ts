import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type GatewaySecrets, generateSecrets } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, it } from "vitest";
import { createBrowser, startServerWithMail } from "../testing/account.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";

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

it("a token key is rotated without a device noticing, and dropped at once when it leaked", async () => {
  const DATA_DIR = await makeTempFolder();
  const first = await startTestServer({ DATA_DIR });
  const client = createDeviceClient({ baseUrl: first.url });
  const registered = (await client.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  const { token: old, deviceSecret } = registered;
  await first.stop();

  const fresh = generateSecrets().tokenKeys;
  await changeSecrets(DATA_DIR, (secrets) => {
    return { ...secrets, tokenKeys: [...fresh, ...secrets.tokenKeys] };
  });
  const second = await startTestServer({ DATA_DIR });
  expect(await readConfig(second.url, old)).toBe(200);
  const login = createDeviceClient({ baseUrl: second.url });
  const credentials = { deviceId: "gw-1", deviceSecret };
  const { token: renewed } = (await login.login(credentials))._unsafeUnwrap();
  await second.stop();

  await changeSecrets(DATA_DIR, (secrets) => ({ ...secrets, tokenKeys: [...fresh] }));
  const third = await startTestServer({ DATA_DIR });
  expect(await readConfig(third.url, old)).toBe(401);
  expect(await readConfig(third.url, renewed)).toBe(200);
  const back = createDeviceClient({ baseUrl: third.url });
  expect((await back.login(credentials)).isOk()).toBe(true);
});

it("accounts.db without its sessions signs everybody out, and their accounts stay", async () => {
  const server = await startServerWithMail();
  const browser = createBrowser(server.url);
  await browser.signUp("ann@example.com");
  const { default: Sqlite } = await import("better-sqlite3");
  await browser.signIn("ann@example.com");
  expect((await browser.call("GET", "/api/v1/dashboard/devices")).status).toBe(200);
  const accounts = new Sqlite(join(server.settings.DATA_DIR, "accounts.db"));
  accounts.exec("DELETE FROM session");
  accounts.close();
  expect((await browser.call("GET", "/api/v1/dashboard/devices")).status).toBe(401);
  expect((await browser.signIn("ann@example.com")).status).toBe(200);
  expect((await browser.call("GET", "/api/v1/dashboard/devices")).status).toBe(200);
});
