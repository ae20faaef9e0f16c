import type { RouteName } from "@device-gateway/core/contract";
import { dayMs } from "../fleet.js";
import { largeBody, telemetryBodies } from "./large-bodies.js";
import type { LargeRequest, Requests, Scene } from "./large-request.js";
import { largestWebhookRequests } from "./largest-webhook-requests.js";
import { describeImage } from "./releases.js";

const asOwner = { as: "owner" as const };
const asOperator = { as: "operator" as const };
const ofLong = ({ longDevice: deviceId }: Scene) => ({ params: { deviceId } });
const ofOne = (scene: Scene) => ({ params: { deviceId: scene.nextDevice() } });
const all = (scene: Scene) => `from=${scene.now - scene.days * dayMs}&to=${scene.now}`;
const everything = "metrics=*&aggregate=avg,min,max,sum,count,first,last";

const histories: Readonly<Record<string, string>> = {
  "raw, 5,000 of one metric": "interval=raw&limit=5000&metrics=voltage",
  "raw, 5,000 of all metrics": "interval=raw&limit=5000&metrics=*",
  "hours, all metrics and aggregates": `interval=1h&limit=5000&${everything}`,
  "days, all metrics and aggregates": `interval=1d&limit=5000&${everything}`,
  "7 minutes, one metric": "interval=7m&limit=5000&metrics=voltage",
  "7 minutes, all metrics and aggregates": `interval=7m&limit=5000&${everything}`,
  "the whole range, all metrics": `interval=366d&limit=5000&${everything}`,
  "chart of 300 points, three metrics":
    "limit=300&metrics=voltage,current,bms.minCellVoltage&aggregate=avg,min,max",
  "the longest list of metrics, spaces": `metrics=a${"+".repeat(4_094)}b`,
  "the longest list of metrics, short names": `metrics=${"a,".repeat(2_048)}`,
};

/**
 * The largest allowed requests of every route. The samples of the attacks cannot replace them, because they are
 * small. A new route does not compile until it has one.
 */
export const largestRequests: Readonly<Record<RouteName, Requests>> = {
  // Comes first, because later requests need the release.
  createRelease: [
    (scene) => ({
      ...{ ...asOperator, status: 201 },
      body: largeBody({ ...describeImage(scene.newId()), notes: "ä".repeat(2_000) }),
    }),
  ],
  registerDevice: [
    (scene) => ({
      as: "nobody",
      status: 201,
      body: largeBody({
        ...{ deviceId: scene.newId(), hardwareId: "esp32", firmwareVersion: "1.0.0" },
        claimCode: "ABCD-EFGH-JKLM",
        capabilities: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`c${n}`, true])),
      }),
    }),
  ],
  loginDevice: [
    (scene) => ({
      as: "nobody",
      status: 401,
      body: largeBody({ deviceId: scene.nextDevice(), deviceSecret: "x".repeat(256) }),
    }),
  ],
  sendTelemetry: [
    ...Object.entries(telemetryBodies).flatMap(([name, bodyAt]) =>
      [1, 4].map(
        (atOnce) =>
          (scene: Scene): LargeRequest => ({
            ...{ name: atOnce === 1 ? name : `${atOnce} at once: ${name}`, as: "device", atOnce },
            body: bodyAt(scene.now),
          }),
      ),
    ),
  ],
  readConfig: [() => ({ as: "device" })],
  claimDevice: [
    (scene) => ({
      ...{ ...asOwner, status: 401 },
      body: largeBody({ deviceId: scene.newId(), claimCode: "A".repeat(256) }),
    }),
  ],
  releaseDevice: [(scene) => ({ ...asOwner, ...ofOne(scene), status: 204 })],
  listDevices: [() => ({ ...asOwner, query: "limit=500" })],
  readDevice: [(scene) => ({ ...asOwner, ...ofLong(scene) })],
  renameDevice: [
    (scene) => ({ ...asOwner, ...ofOne(scene), body: largeBody({ name: "ä".repeat(64) }) }),
  ],
  patchDevice: [
    (scene) => ({ ...asOwner, ...ofOne(scene), body: largeBody({ name: "ä".repeat(64) }) }),
  ],
  readDeviceConfig: [(scene) => ({ ...asOwner, ...ofOne(scene) })],
  changeDeviceConfig: [
    (scene) => ({
      ...asOwner,
      ...ofOne(scene),
      body: largeBody({ otaEnabled: true }),
      status: 400,
    }),
  ],
  readConfigHistory: [(scene) => ({ ...asOwner, ...ofLong(scene), query: "limit=500" })],
  readDeviceMetrics: [(scene) => ({ ...asOwner, ...ofLong(scene) })],
  readHardwareMetrics: [() => ({ ...asOperator, query: "targetHardware=gw-2" })],
  changeHardwareMetrics: [
    () => ({ ...asOperator, query: "targetHardware=gw-2", body: largeBody({}), status: 400 }),
  ],
  readDeviceMetadata: [(scene) => ({ ...asOperator, ...ofOne(scene) })],
  changeDeviceMetadata: [
    (scene) => ({
      ...asOperator,
      ...ofOne(scene),
      body: largeBody({ site: "Pier 9" }),
      status: 400,
    }),
  ],
  fetchCommands: [() => ({ as: "device" })],
  reportCommand: [
    () => ({
      ...{ as: "device", params: { commandId: "of-nobody" }, status: 404 },
      body: largeBody({ status: "done" }),
    }),
  ],
  sendCommand: [
    (scene) => ({
      ...{ ...asOwner, ...ofOne(scene), status: 400 },
      body: largeBody({ name: "of-nobody" }),
    }),
  ],
  listCommands: [(scene) => ({ ...asOwner, ...ofOne(scene), query: "limit=500" })],
  readCommand: [
    (scene) => ({
      ...asOwner,
      ...{ params: { deviceId: scene.nextDevice(), commandId: "of-nobody" }, status: 404 },
    }),
  ],
  cancelCommand: [
    (scene) => ({
      ...asOwner,
      ...{ params: { deviceId: scene.nextDevice(), commandId: "of-nobody" }, status: 404 },
    }),
  ],
  listAlertRules: [() => ({ ...asOwner, query: "limit=500" })],
  createAlertRule: [
    () => ({
      ...{ ...asOwner, status: 400 },
      body: largeBody({ name: "Silent", condition: { kind: "silent" }, deviceId: "" }),
    }),
  ],
  changeAlertRule: [
    () => ({
      ...{ ...asOwner, status: 404, params: { ruleId: "unknown" } },
      body: largeBody({ name: "Silent" }),
    }),
  ],
  removeAlertRule: [() => ({ ...asOwner, status: 404, params: { ruleId: "unknown" } })],
  listAlerts: [() => ({ ...asOwner, query: "limit=500&state=all" })],
  acknowledgeAlert: [() => ({ ...asOwner, status: 404, params: { alertId: "unknown" } })],
  muteAlert: [
    () => ({
      ...{ ...asOwner, status: 404, params: { alertId: "unknown" } },
      body: largeBody({ until: null }),
    }),
  ],
  ...largestWebhookRequests,
  openReEnrolment: [(scene) => ({ ...asOwner, ...ofOne(scene) })],
  readTelemetryHistory: Object.entries(histories).map(([name, query]) => (scene: Scene) => ({
    ...{ name, ...asOwner, ...ofLong(scene) },
    query: `${query}&${all(scene)}`,
  })),
  listTelemetryRecords: [(scene) => ({ ...asOwner, ...ofLong(scene), query: "limit=100" })],
  // Not measured: the stream lasts an hour.
  followTelemetry: [],
  exportTelemetry: ["ndjson", "csv"].map((format) => (scene: Scene) => ({
    ...{ name: `30 days as ${format}`, ...asOwner, ...ofLong(scene) },
    query: `format=${format}&from=${scene.now - 30 * dayMs}&to=${scene.now}`,
  })),
  readLatestFirmware: [() => ({ as: "device" })],
  reportUpdate: [
    () => ({ as: "device", body: largeBody({ state: "failed", version: "1.0.0" }), status: 202 }),
  ],
  answerUpdateCommand: [
    () => ({
      ...{ as: "device", status: 202 },
      body: largeBody({ requestId: "x".repeat(128), status: "x".repeat(256) }),
    }),
  ],
  commandUpdate: [(scene) => ({ ...asOwner, ...ofOne(scene), status: 202 })],
  readUpdateCommand: [(scene) => ({ ...asOwner, ...ofOne(scene) })],
  readOtaHistory: [(scene) => ({ ...asOwner, ...ofLong(scene), query: "limit=500" })],
  setOtaTarget: [
    (scene) => ({ ...asOperator, ...ofOne(scene), body: largeBody({ otaChannel: "beta" }) }),
  ],
  clearUpdateBlocks: [(scene) => ({ ...asOperator, ...ofOne(scene), status: 204 })],
  explainOffer: [
    (scene) => ({ ...asOperator, params: { deviceId: scene.nextDevice(), releaseId: "1" } }),
  ],
  listAllDevices: [
    () => ({ ...asOperator, query: "limit=500" }),
    () => ({
      ...{ name: "search that finds nothing", ...asOperator },
      query: "limit=500&version=*&lastSeenBefore=1",
    }),
  ],
  changeDevices: [
    (scene) => ({
      ...asOperator,
      body: {
        deviceIds: scene.manyDevices,
        action: { kind: "clear_update_blocks" },
      },
    }),
    (scene) => ({
      ...{ name: "a patch that no device accepts", ...asOperator },
      body: {
        deviceIds: scene.manyDevices,
        action: {
          kind: "configure",
          patch: Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`k${n}`, n])),
        },
      },
    }),
  ],
  readRefusals: [(scene) => ({ ...asOwner, ...ofLong(scene) })],
  inspectDevice: [(scene) => ({ ...asOperator, ...ofLong(scene) })],
  revokeDevice: [(scene) => ({ ...asOperator, ...ofOne(scene) })],
  reinstateDevice: [(scene) => ({ ...asOperator, ...ofOne(scene) })],
  eraseDevice: [(scene) => ({ ...asOperator, ...ofOne(scene), status: 204 })],
  readAuditTrail: [
    () => ({ name: "500 events", ...asOperator, query: "limit=500&order=newest" }),
    () => ({ name: "all as NDJSON", ...asOperator, query: "format=ndjson" }),
  ],
  // An image of the largest size. It is refused, because its hash differs from the signed one.
  uploadReleaseImage: [
    () => ({
      ...{ ...asOperator, params: { releaseId: "1" }, status: 400 },
      body: new Uint8Array(2 ** 26),
    }),
  ],
  changeRelease: [
    () => ({
      ...{ ...asOperator, params: { releaseId: "1" }, status: 400 },
      body: largeBody({ rolloutPercent: 500 }),
    }),
  ],
  listReleases: [() => ({ ...asOperator, query: "limit=500" })],
  readRelease: [() => ({ ...asOperator, params: { releaseId: "1" } })],
  listDashboardReleases: [() => ({ ...asOwner, query: "limit=500" })],
  downloadFirmware: [() => ({ as: "device", params: { releaseId: "1" }, status: 404 })],
  readOpenApi: [() => ({ as: "nobody" })],
  readLiveness: [() => ({ as: "nobody" })],
  readReadiness: [() => ({ as: "nobody" })],
};
