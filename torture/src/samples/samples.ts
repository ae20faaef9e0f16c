import { type RouteName, routes } from "@device-gateway/core/contract";
import { describeRelease } from "../releases.js";
import type { ActorName } from "./actor-names.js";
import { hardwareId, planted, secrets } from "./planted-ids.js";
import {
  about,
  type Expected,
  nothing,
  ofOperators,
  operatorsOnly,
  refused,
  type Sample,
  type Samples,
} from "./sample.js";
import { webhookSamples } from "./webhook-samples.js";

const params = about.request;

/** Release 1 is for the victim's hardware. The other device has different hardware. */
const forItsHardware = (actor: ActorName): Expected =>
  actor === "the device" ? { code: null } : { code: "release_not_found", status: 404 };

/** Only operators see what the former owner sent. */
function ofFormerOwner(actor: ActorName): Expected {
  if (actor.startsWith("operator")) return { code: null };
  const isOwner = actor.startsWith("owner");
  return { code: isOwner ? "command_not_found" : "device_not_found", status: 404 };
}

const wrongCode = "WRONG-CODE-99";
const wrongSecret = "d3Jvbmctc2VjcmV0LXdyb25nLXNlY3JldC13cm9uZw";

const register = (deviceId: string, firmwareVersion: string, proof: object) => ({
  body: { deviceId, hardwareId, firmwareVersion, ...proof },
});
const alreadyRegistered = {
  answer: refused(409, "device_already_registered"),
  revealsDevice: "§1: registration says that the device is already registered",
};

const claimAnswer =
  (otherwise: Expected) =>
  (actor: ActorName): Expected =>
    actor === "unverified customer" ? { status: 403, code: "email_not_verified" } : otherwise;

const silenceRule = { name: "Silent", condition: { kind: "silent", intervals: 5 } } as const;
const ofOwner =
  (code: string) =>
  (actor: ActorName): Expected =>
    actor === "owner" ? { code: null } : { code, status: 404 };

const samples: Samples = {
  registerDevice: [
    {
      request: (deviceId) => register(deviceId, "0.1.10", { claimCode: wrongCode }),
      ...alreadyRegistered,
    },
    // A former owner knows the code on the label, so it proves nothing while somebody owns the device.
    {
      request: (deviceId) => register(deviceId, "0.1.10", { claimCode: secrets.claimCode }),
      ...alreadyRegistered,
    },
    { request: (deviceId) => register(deviceId, "0.1.0", {}), ...alreadyRegistered },
  ],
  loginDevice: [
    {
      request: (deviceId) => ({ body: { deviceId, deviceSecret: wrongSecret } }),
      answer: refused(401, "invalid_credentials"),
    },
  ],
  sendTelemetry: [{ request: () => ({ body: { voltage: 11.5 } }) }],
  claimDevice: [
    {
      request: (deviceId) => ({ body: { deviceId, claimCode: wrongCode } }),
      answer: claimAnswer({ status: 401, code: "invalid_claim" }),
    },
    {
      request: (deviceId) => ({ body: { deviceId, deviceSecret: wrongSecret } }),
      answer: claimAnswer({ status: 400, code: "claim_code_required" }),
    },
    {
      request: (deviceId) => ({ body: { deviceId, claimCode: secrets.claimCode } }),
      answer: (actor) =>
        claimAnswer(actor === "owner" ? { code: null } : { status: 409, code: "already_claimed" })(
          actor,
        ),
      revealsDevice: "§3: a correct code reveals that somebody owns the device",
    },
  ],
  listDevices: [nothing, { request: () => ({ query: { limit: "1" } }) }],
  renameDevice: [{ request: (deviceId) => ({ ...params(deviceId), body: { name: "Mine" } }) }],
  patchDevice: [{ request: (deviceId) => ({ ...params(deviceId), body: { name: "Mine" } }) }],
  changeDeviceConfig: [
    { request: (deviceId) => ({ ...params(deviceId), body: { otaEnabled: false } }) },
  ],
  listAlertRules: [nothing, ofOperators],
  createAlertRule: [
    { request: () => ({ body: silenceRule }) },
    { request: () => ({ body: silenceRule, query: { scope: "operator" } }), answer: operatorsOnly },
    {
      request: (deviceId) => ({ body: { ...silenceRule, deviceId } }),
      answer: (actor) =>
        actor === "owner" ? { code: null } : { code: "device_not_found", status: 404 },
    },
  ],
  changeAlertRule: [
    {
      request: () => ({ params: { ruleId: planted.ruleId }, body: { name: "Mine" } }),
      answer: ofOwner("alert_rule_not_found"),
    },
  ],
  removeAlertRule: [
    {
      request: () => ({ params: { ruleId: planted.ruleId } }),
      answer: ofOwner("alert_rule_not_found"),
    },
  ],
  listAlerts: [
    nothing,
    ofOperators,
    { request: (deviceId) => ({ query: { deviceId, state: "all" } }) },
  ],
  acknowledgeAlert: [
    {
      request: () => ({ params: { alertId: planted.alertId } }),
      answer: ofOwner("alert_not_found"),
    },
  ],
  muteAlert: [
    {
      request: () => ({ params: { alertId: planted.alertId }, body: { until: null } }),
      answer: ofOwner("alert_not_found"),
    },
  ],
  ...webhookSamples,
  readTelemetryHistory: [
    about,
    {
      request: (deviceId) => ({
        ...params(deviceId),
        query: { hours: "9000", interval: "raw", metrics: "reading,voltage" },
      }),
    },
    {
      request: (deviceId) => ({
        ...params(deviceId),
        query: { hours: "9000", interval: "1d", metrics: "reading", aggregate: "min,max,first" },
      }),
    },
  ],
  followTelemetry: [
    about,
    // From the first record on: a missing check would include the former owner's records.
    { request: (deviceId) => ({ ...params(deviceId), headers: { "last-event-id": "0" } }) },
  ],
  listTelemetryRecords: [
    about,
    { request: (deviceId) => ({ ...params(deviceId), query: { from: "0" } }) },
  ],
  exportTelemetry: [
    about,
    {
      request: (deviceId) => ({ ...params(deviceId), query: { from: "0", format: "ndjson" } }),
    },
  ],
  readLatestFirmware: [nothing, { request: () => ({ query: { currentVersion: "0.0.1" } }) }],
  reportUpdate: [{ request: () => ({ body: { state: "failed", version: "1.0.0" } }) }],
  answerUpdateCommand: [
    { request: () => ({ body: { requestId: "of-nobody", status: "succeeded" } }) },
  ],
  readOtaHistory: [
    about,
    { request: (deviceId) => ({ ...params(deviceId), query: { limit: "500" } }) },
  ],
  setOtaTarget: [
    { request: (deviceId) => ({ ...params(deviceId), body: { otaChannel: "beta" } }) },
  ],
  explainOffer: [
    { request: (deviceId) => ({ params: { deviceId, releaseId: "1" } }) },
    {
      request: (deviceId) => ({ params: { deviceId, releaseId: "999999" } }),
      answer: refused(404, "release_not_found"),
    },
  ],
  changeDevices: [
    {
      request: (deviceId) => ({
        body: {
          deviceIds: [deviceId],
          action: { kind: "set_target", target: { otaChannel: "beta" } },
        },
      }),
    },
    {
      request: (deviceId) => ({ body: { deviceIds: [deviceId], action: { kind: "revoke" } } }),
    },
  ],
  reportCommand: [
    {
      request: () => ({ params: { commandId: "taken-from-owner" }, body: { status: "done" } }),
      answer: (actor) =>
        actor === "the device" ? { code: null } : { code: "command_not_found", status: 404 },
    },
    {
      request: () => ({ params: { commandId: "of-former" }, body: { status: "done" } }),
      answer: refused(404, "command_not_found"),
    },
  ],
  sendCommand: [
    {
      request: (deviceId) => ({
        ...params(deviceId),
        body: { name: "show", payload: { text: "hello" } },
      }),
    },
  ],
  listCommands: [
    about,
    { request: (deviceId) => ({ ...params(deviceId), query: { limit: "1" } }) },
  ],
  readCommand: [
    { request: (deviceId) => ({ params: { deviceId, commandId: "of-owner" } }) },
    {
      request: (deviceId) => ({ params: { deviceId, commandId: "of-former" } }),
      answer: ofFormerOwner,
      revealsDevice: "§11: the owner knows the device, but not the commands of the former owner",
    },
  ],
  cancelCommand: [{ request: (deviceId) => ({ params: { deviceId, commandId: "of-owner" } }) }],
  readHardwareMetrics: [{ request: () => ({ query: { targetHardware: "esp32:devkit-v1" } }) }],
  changeHardwareMetrics: [
    {
      request: () => ({
        query: { targetHardware: "esp32:devkit-v1" },
        body: { voltage: { unit: "V" } },
      }),
    },
  ],
  changeDeviceMetadata: [
    { request: (deviceId) => ({ ...params(deviceId), body: { tariff: "free" } }) },
  ],
  listAllDevices: [
    nothing,
    { request: () => ({ query: { metadata: "tariff:free" } }) },
    { request: () => ({ query: { name: "N*", revoked: "false" } }) },
  ],
  eraseDevice: [
    about,
    { request: (deviceId) => ({ ...params(deviceId), query: { block: "true" } }) },
  ],
  readAuditTrail: [
    nothing,
    { request: () => ({ query: { order: "newest" } }) },
    { request: () => ({ query: { format: "ndjson" } }) },
  ],
  createRelease: [{ request: () => ({ body: describeRelease("9.0.3", hardwareId, "new") }) }],
  uploadReleaseImage: [
    {
      request: () => ({ params: { releaseId: "2" }, body: new TextEncoder().encode("draft") }),
    },
  ],
  changeRelease: [
    { request: () => ({ params: { releaseId: "1" }, body: { status: "withdrawn" } }) },
  ],
  listReleases: [nothing, { request: () => ({ query: { status: "draft" } }) }],
  readRelease: [{ request: () => ({ params: { releaseId: "2" } }) }],
  listDashboardReleases: [nothing, { request: () => ({ query: { limit: "500" } }) }],
  downloadFirmware: [
    { request: () => ({ params: { releaseId: "1" } }), answer: forItsHardware },
    {
      request: () => ({ params: { releaseId: "1" }, headers: { range: "bytes=1-5" } }),
      answer: forItsHardware,
    },
    { request: () => ({ params: { releaseId: "2" } }), answer: refused(404, "release_not_found") },
  ],
};

/** Returns the samples of a route. One without an entry has one sample: about the device, or without parts. */
export function samplesOf(name: RouteName): readonly [Sample, ...Sample[]] {
  const own = samples[name] as readonly [Sample, ...Sample[]] | undefined;
  return own ?? [routes[name].path.includes("/:deviceId") ? about : nothing];
}
