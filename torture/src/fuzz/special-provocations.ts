import { describeRelease } from "../releases.js";
import { need } from "../world.js";
import { alertProvocations } from "./alert-provocations.js";
import { type FuzzDevice, type FuzzScene, refusedHardware } from "./fuzz-world.js";
import type { Provocation, Specials } from "./provocation.js";
import { webhookProvocations } from "./webhook-provocations.js";

/** A request about the scene's release, as all requests are that name no other. */
const aboutRelease: Provocation = () => ({});

const registration = ({ hardwareId }: FuzzScene, deviceId: string, claimCode: string) => ({
  deviceId,
  hardwareId,
  firmwareVersion: "0.1.10",
  claimCode,
});

const withFresh =
  (make: (device: FuzzDevice, scene: FuzzScene) => ReturnType<Provocation>): Provocation =>
  async (scene) =>
    make(await scene.register(), scene);

const withFreshOwned =
  (make: (device: FuzzDevice, scene: FuzzScene) => ReturnType<Provocation>): Provocation =>
  async (scene) => {
    const device = await scene.register();
    await scene.claim(device);
    return make(device, scene);
  };

const about: Provocation = withFresh(({ deviceId }) => ({ params: { deviceId } }));
const aboutOwned: Provocation = withFreshOwned(({ deviceId }) => ({ params: { deviceId } }));
const lastUpdate = { state: "failed", version: "9.0.1", code: "no-space", message: "full" };

const blink = { name: "blink", payload: { times: 3 } };

interface SentBlink {
  readonly device: FuzzDevice;
  readonly commandId: string;
  readonly params: { readonly deviceId: string; readonly commandId: string };
}

/** Sends a command to a new device, because only so many can be open. */
async function sendBlink(
  scene: FuzzScene,
  headers: Record<string, string> = {},
): Promise<SentBlink> {
  const { register, claim, send, tokens } = scene;
  const device = await register();
  await claim(device);
  const { deviceId } = device;
  const path = `/dashboard/devices/${deviceId}/commands`;
  const reply = await send({ method: "POST", path, token: tokens.owner, headers, body: blink });
  const { command } = JSON.parse(need(reply, 201).body) as { command: { commandId: string } };
  const { commandId } = command;
  return { device, commandId, params: { deviceId, commandId } };
}

/** Sends a command that the device fetches. */
async function deliverBlink(scene: FuzzScene): Promise<SentBlink> {
  const sent = await sendBlink(scene);
  const { token } = sent.device;
  need(await scene.send({ method: "GET", path: "/device/commands", token }), 200);
  return sent;
}

/** Sends a command with a key, and repeats the key with another body. */
const repeatKey =
  (body: object): Provocation =>
  async (scene) => {
    const headers = { "idempotency-key": `key-${scene.next()}` };
    const { params } = await sendBlink(scene, headers);
    return { params, headers, body };
  };

const image = ({ image: text }: FuzzScene) => ({ raw: Buffer.from(text) });
const releaseHeaders = { "content-type": "application/octet-stream" };

const rename = {
  200: () => ({ body: { name: "Cabin" } }),
} satisfies Specials["renameDevice"];

export const special: Specials = {
  registerDevice: {
    201: (scene) => ({ body: registration(scene, `gw-${scene.next()}`, "CODE-1234") }),
    200: withFresh(({ deviceId, claimCode }, scene) => ({
      body: registration(scene, deviceId, claimCode),
    })),
    403: (scene) => ({
      body: {
        ...registration(scene, `gw-${scene.next()}`, "CODE-1234"),
        hardwareId: refusedHardware,
      },
    }),
    409: (scene) => ({ body: registration(scene, scene.device.deviceId, "CODE-9999") }),
  },
  loginDevice: {
    200: ({ device: { deviceId, deviceSecret } }) => ({ body: { deviceId, deviceSecret } }),
    401: ({ device: { deviceId } }) => ({ body: { deviceId, deviceSecret: "d3Jvbmc" } }),
  },
  sendTelemetry: {
    200: () => ({ body: { voltage: 12.5, ota: { lastResult: "downloading" } } }),
    409: async ({ send, device: { token }, next }) => {
      const headers = { "idempotency-key": `key-${next()}` };
      await send({ method: "POST", path: "/telemetry", token, headers, body: { a: 1 } });
      return { headers, body: { a: 2 } };
    },
  },
  readConfig: {
    304: async ({ send, device: { token } }) => {
      const reply = await send({ method: "GET", path: "/device/config", token });
      return { headers: { "if-none-match": reply.headers["etag"] ?? "" } };
    },
  },
  claimDevice: {
    200: withFresh(({ deviceId, claimCode }) => ({ body: { deviceId, claimCode } })),
    403: withFresh(({ deviceId, claimCode }, { tokens }) => ({
      token: tokens.unverified,
      body: { deviceId, claimCode },
    })),
    409: withFreshOwned(({ deviceId, claimCode }, { tokens }) => ({
      token: tokens.stranger,
      body: { deviceId, claimCode },
    })),
  },
  releaseDevice: {
    204: aboutOwned,
    403: withFreshOwned((device, { keep }) => {
      keep(device);
      return { params: { deviceId: device.deviceId } };
    }),
  },
  listDevices: { 200: () => ({ query: { limit: "2" } }) },
  renameDevice: rename,
  patchDevice: rename,
  changeDeviceConfig: {
    200: () => ({ body: { otaEnabled: true, telemetryIntervalSeconds: 60 } }),
    412: () => ({ headers: { "if-match": '"of-yesterday"' }, body: { otaEnabled: true } }),
  },
  readTelemetryHistory: {
    200: () => ({ query: { hours: "3", interval: "5m", aggregate: "min,max", limit: "50" } }),
  },
  followTelemetry: { 200: () => ({ headers: { "last-event-id": "0" } }) },
  listTelemetryRecords: { 200: () => ({ query: { from: "0", limit: "2" } }) },
  exportTelemetry: { 200: () => ({ query: { from: "0", format: "ndjson" } }) },
  readLatestFirmware: { 200: () => ({ query: { currentVersion: "0.1.0" } }) },
  reportUpdate: { 202: () => ({ body: lastUpdate }) },
  readOtaHistory: { 200: () => ({ query: { limit: "20" } }) },
  setOtaTarget: { 200: () => ({ body: { otaChannel: "beta", pinnedVersion: null } }) },
  clearUpdateBlocks: { 204: about },
  explainOffer: { 200: aboutRelease },
  listAllDevices: { 200: () => ({ query: { limit: "2", metadata: "site:Harbour" } }) },
  changeDevices: {
    200: withFresh(({ deviceId }) => ({
      body: { deviceIds: [deviceId, "nobody"], action: { kind: "clear_update_blocks" } },
    })),
  },
  fetchCommands: {
    200: async (scene) => {
      const { token } = (await sendBlink(scene)).device;
      return { token, query: { limit: "2" } };
    },
  },
  reportCommand: {
    202: async (scene) => {
      const { device, params } = await deliverBlink(scene);
      const body = { status: "done", result: { times: 3 }, message: "blinked" };
      return { token: device.token, params, body };
    },
  },
  sendCommand: {
    201: withFreshOwned(({ deviceId }) => ({ params: { deviceId }, body: blink })),
    200: repeatKey(blink),
    409: repeatKey({ name: "blink" }),
  },
  listCommands: { 200: () => ({ query: { limit: "2" } }) },
  readCommand: { 200: async (scene) => ({ params: (await sendBlink(scene)).params }) },
  cancelCommand: {
    200: async (scene) => ({ params: (await sendBlink(scene)).params }),
    409: async (scene) => ({ params: (await deliverBlink(scene)).params }),
  },
  ...webhookProvocations,
  ...alertProvocations,
  readConfigHistory: { 200: () => ({ query: { limit: "2" } }) },
  readHardwareMetrics: { 200: () => ({ query: { targetHardware: "gw-2" } }) },
  changeHardwareMetrics: {
    200: () => ({ query: { targetHardware: "gw-2" }, body: { voltage: { unit: "V" } } }),
    412: () => ({
      query: { targetHardware: "gw-2" },
      headers: { "if-match": '"of-yesterday"' },
      body: { voltage: { unit: "V" } },
    }),
  },
  changeDeviceMetadata: {
    200: () => ({ body: { site: "Harbour", floor: 2, contact: { name: "Ann" } } }),
    412: () => ({ headers: { "if-match": '"of-yesterday"' }, body: { site: "Harbour" } }),
  },
  revokeDevice: { 200: about },
  reinstateDevice: { 200: about },
  eraseDevice: { 204: about },
  readAuditTrail: { 200: () => ({ query: { limit: "2" } }) },
  createRelease: {
    201: ({ hardwareId, next }) => ({ body: describeRelease(`1.0.${next()}`, hardwareId, "new") }),
    200: ({ hardwareId, release, image: text }) => ({
      body: describeRelease(release.version, hardwareId, text),
    }),
    409: ({ hardwareId, release }) => ({
      body: describeRelease(release.version, hardwareId, "another image"),
    }),
  },
  uploadReleaseImage: {
    200: async (scene) => ({
      params: { releaseId: (await scene.createDraft()).id },
      headers: releaseHeaders,
      ...image(scene),
    }),
    400: ({ draft }) => ({ params: { releaseId: draft.id }, raw: Buffer.from("others") }),
    409: async (scene) => {
      const { id } = await scene.createDraft();
      const path = `/operator/firmware/releases/${id}`;
      const token = scene.tokens.operator;
      await scene.send({ method: "PATCH", path, token, body: { status: "withdrawn" } });
      return { params: { releaseId: id }, headers: releaseHeaders, ...image(scene) };
    },
  },
  changeRelease: {
    200: async ({ createDraft }) => ({
      params: { releaseId: (await createDraft()).id },
      body: { rolloutPercent: 10 },
    }),
    409: async ({ createDraft }) => ({
      params: { releaseId: (await createDraft()).id },
      body: { status: "paused" },
    }),
  },
  listReleases: { 200: () => ({ query: { limit: "2" } }) },
  readRelease: { 200: aboutRelease },
  listDashboardReleases: { 200: () => ({ query: { limit: "2" } }) },
  downloadFirmware: {
    200: aboutRelease,
    206: () => ({ headers: { range: "bytes=1-3" } }),
    416: () => ({ headers: { range: "bytes=5000-" } }),
  },
  readOpenApi: {
    304: async ({ send }) => {
      const reply = await send({ method: "GET", path: "/openapi.json" });
      return { headers: { "if-none-match": reply.headers["etag"] ?? "" } };
    },
  },
};
