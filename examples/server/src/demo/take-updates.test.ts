import { stat } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { runDemoAgainst } from "../testing/demo-harness.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import type { DemoEvent } from "./demo-event.js";
import { prepareDemoKey } from "./firmware/demo-key.js";
import { publishDemoFirmware } from "./firmware/publish-demo-firmware.js";

useCheapScrypt();

/** Prepares what `npm start` does: a key, a server that trusts it, and a release signed with it. */
async function start(DATA_DIR: string, overrides: { PUBLIC_URL?: string; HOST?: string } = {}) {
  const key = await prepareDemoKey({ DATA_DIR, FIRMWARE_KEYS: undefined });
  if (key === null) throw new Error("There is no key.");
  const server = await startTestServer({ DATA_DIR, ...overrides });
  expect(await publishDemoFirmware(server.gateway, key)).toBeNull();
  return { ...server, key };
}

const stateOf = (event: DemoEvent) => (event.kind === "updating" ? event.state : event.kind);
const kindsOf = (events: readonly DemoEvent[]) => [...new Set(events.map(stateOf))];

it("§6 finds its release, downloads, verifies, restarts and reports success", async () => {
  const { key, ...server } = await start(await makeTempFolder());
  const { events } = await runDemoAgainst(server, { key });
  expect(kindsOf(events)).toEqual([
    ...["registered", "configured", "replaying", "replayed", "downloading", "downloaded"],
    ...["verified", "installing", "rebooting", "restarting", "succeeded", "live"],
  ]);
  const id = "demo-gateway";
  const file = join(server.settings.DATA_DIR, "gateway.db");
  await server.stop();
  const store = await openSqliteStore({ file, logger: silentLogger });
  const history = await store.otaEvents.list({ deviceId: id, from: 0, before: 2 ** 50, limit: 50 });
  expect(history[0]).toMatchObject({ state: "succeeded", offeredVersion: "1.1.0" });
  expect(await store.devices.find(id)).toMatchObject({ profile: { firmwareVersion: "1.1.0" } });
  await store.close();
});

it("is up to date at the next start, which does not publish the release again", async () => {
  const folder = await makeTempFolder();
  const first = await start(folder);
  await runDemoAgainst(first, { key: first.key });
  await first.stop();
  const second = await start(folder);
  const { events } = await runDemoAgainst(second, { key: second.key });
  expect(kindsOf(events)).toEqual(["logged_in", "configured", "live"]);
  expect(second.key.pem).toBe(first.key.pem);
});

it("updates even if this machine cannot reach the public URL", async () => {
  const { key, ...server } = await start(await makeTempFolder(), {
    PUBLIC_URL: "https://gateway.example.com",
  });
  const { events } = await runDemoAgainst(server, { key });
  expect(kindsOf(events)).toContain("succeeded");
});

it("does not update but keeps running if the public URL is unknown", async () => {
  const { key, ...server } = await start(await makeTempFolder(), { HOST: "0.0.0.0" });
  const { events } = await runDemoAgainst(server, { key });
  expect(kindsOf(events)).toEqual(["registered", "configured", "replaying", "replayed", "live"]);
});

it("stores its private key for this user only, and creates no key if FIRMWARE_KEYS is set", async () => {
  const DATA_DIR = await makeTempFolder();
  await prepareDemoKey({ DATA_DIR, FIRMWARE_KEYS: undefined });
  const { mode } = await stat(join(DATA_DIR, "demo-firmware.private.pem"));
  expect(mode & 0o777).toBe(0o600);
  expect(await prepareDemoKey({ DATA_DIR, FIRMWARE_KEYS: "./keys" })).toBeNull();
});
