import type { GatewayOptions } from "@device-gateway/core";
import type { NewRelease, Release } from "@device-gateway/core/store";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { expect } from "vitest";
import { activeRelease } from "../../conformance/ota/update-samples.js";
import { sampleImage, toArtifactFacts } from "../../fixtures/sample-image.js";
import { sampleRegistration, type WireReply, type WireWorld } from "./wire-world.js";

export const image: Uint8Array<ArrayBuffer> = sampleImage(40_000);
const images = new Map([[toArtifactFacts(image).sha256, image]]);

/** Options for a gateway with an artifact store and a public URL. */
export const otaOptions: Partial<GatewayOptions> = {
  publicUrl: "https://gw.test",
  firmware: { keys: [], artifacts: createMemoryArtifactStore(images) },
};

/** Creates an active release for the devices that `register` registers. */
export async function release(
  { store, clock }: WireWorld,
  version: string,
  changes: Partial<NewRelease> = {},
): Promise<Release> {
  const { hardwareId: targetHardware } = sampleRegistration();
  const facts = toArtifactFacts(image);
  const created = await activeRelease(store, { targetHardware, version, ...facts, ...changes });
  // The release was written past the gateway, which polls the change feed once a second.
  clock.advance(1_000);
  return created;
}

export const latest = ({ call }: WireWorld, token: string, query = {}): Promise<WireReply> =>
  call("readLatestFirmware", { token, query });

/** Returns the version that a device is offered, or undefined. */
export async function offeredTo(world: WireWorld, token: string): Promise<string | undefined> {
  const { status, body } = await latest(world, token);
  expect(status).toBe(200);
  return body.version;
}

/** Sends a device's report on its update. */
export async function report(
  { call }: WireWorld,
  token: string,
  state: string,
  details: object = {},
): Promise<void> {
  const body = { state, version: "1.0.0", ...details };
  const reply = await call("reportUpdate", { token, body });
  expect([reply.status, reply.body]).toEqual([202, { status: "accepted" }]);
}

export const asOperator = ({ signIn }: WireWorld): Promise<string> =>
  signIn("op", { roles: ["operator"] });

/** Returns the OTA history of a device as an operator sees it, oldest first. */
export async function historyOf(
  world: WireWorld,
  deviceId = "gw-1",
): Promise<{ state: string; source: string; fromVersion: string; lastResult: string }[]> {
  const token = await asOperator(world);
  const params = { deviceId };
  const query = { limit: "500" };
  const { status, body } = await world.call("readOtaHistory", { token, params, query });
  expect(status).toBe(200);
  return body.events.reverse();
}

export const statesOf = async (world: WireWorld, deviceId?: string): Promise<string[]> =>
  (await historyOf(world, deviceId)).map(({ state }) => state);

/** Returns the codes of the reasons why gw-1 is not offered a release. */
export async function reasonsFor(world: WireWorld, releaseId: number): Promise<string[]> {
  const token = await asOperator(world);
  const params = { releaseId: String(releaseId), deviceId: "gw-1" };
  const { status, body } = await world.call("explainOffer", { token, params });
  expect(status).toBe(200);
  expect(body.offered).toBe(body.reasons.length === 0);
  return body.reasons.map(({ code }: { code: string }) => code);
}

/** Restarts the device: it logs in with its firmware version. */
export async function boot(
  { call }: WireWorld,
  device: { readonly deviceId: string; readonly deviceSecret: string },
  firmwareVersion: string,
): Promise<string> {
  const { deviceId, deviceSecret } = device;
  const body = { deviceId, deviceSecret, firmwareVersion };
  const reply = await call("loginDevice", { body });
  expect(reply.status).toBe(200);
  return reply.body.token;
}

/** Downloads the image or a range of it. */
export async function download(
  { fetch }: WireWorld,
  token: string,
  id: number,
  range?: string,
): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${token}`, ...(range !== undefined && { range }) };
  const response = await fetch(`/api/v1/ota/firmware/${id}`, { headers });
  return new Uint8Array(await response.arrayBuffer());
}
