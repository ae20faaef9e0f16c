import type { Device, JsonObject } from "@device-gateway/core/store";
import { sampleDevice } from "./samples.js";

/** Text that wrong encodings, collations and column types damage. */
export const awkwardText = " Ünïcödé 漢字 👩‍🚀 e\u0301 \u202Eright ' \" \\ $1 %s \t\r\n\uFEFF ";

/** Every kind of JSON value, with names such as `__proto__` that objects treat specially. */
export const awkwardJson: JsonObject = JSON.parse(
  String.raw`{"__proto__": {"constructor": 1}, "toString": null, "": "", "10": [], "2": {},
    "zero\u0000": "\u0000 \ud800", "big": 1.7976931348623157e308, "small": 5e-324,
    "safe": 9007199254740991, "deep": [[[{"a": [null, false, "0", 0]}]]]}`,
) as JsonObject;

/** The latest time that a `Date` can represent, in epoch milliseconds. */
const latest = 8_640_000_000_000_000;

/** Devices with extreme values in every field. */
export const awkwardDevices: readonly Device[] = [
  sampleDevice("plain"),
  sampleDevice("nothing-known", {
    profile: {
      hardwareId: "h",
      firmwareVersion: "0.0.0",
      targetHardware: "h",
      hardwarePlatform: null,
      hardwareModel: null,
      boardProfile: null,
      fingerprintHash: null,
      capabilities: {},
    },
    claimCodeHash: null,
    registeredAt: 0,
  }),
  sampleDevice("empty-is-not-null", {
    profile: {
      hardwareId: "",
      firmwareVersion: "",
      targetHardware: "",
      hardwarePlatform: "",
      hardwareModel: "",
      boardProfile: "",
      fingerprintHash: "",
      capabilities: {},
    },
    claimCodeHash: "",
    credential: { secretHash: "", epoch: 0, issuedAt: 0 },
    pendingCredential: { secretHash: "", epoch: 0, issuedAt: 0, isRotation: false },
    name: "",
    ownership: { ownerId: "", claimedAt: 0, visibleFrom: 0 },
    reEnrolmentUntil: 0,
    firstUsedAt: 0,
    revokedAt: 0,
    lastSeenAt: 0,
    lastTelemetryAt: 0,
    otaFingerprint: "",
  }),
  sampleDevice("x".repeat(128), {
    profile: {
      hardwareId: awkwardText,
      firmwareVersion: "999999999.999999999.999999999",
      targetHardware: "漢".repeat(128),
      hardwarePlatform: awkwardText,
      hardwareModel: "0123",
      boardProfile: "null",
      fingerprintHash: "f".repeat(10_000),
      capabilities: JSON.parse('{"__proto__":true,"constructor":false,"":true,"漢":false}'),
    },
    claimCodeHash: awkwardText,
    claimCodeSpent: true,
    revision: Number.MAX_SAFE_INTEGER,
    credential: { secretHash: "1e3", epoch: Number.MAX_SAFE_INTEGER, issuedAt: latest },
    pendingCredential: { secretHash: awkwardText, epoch: 7, issuedAt: latest, isRotation: true },
    name: awkwardText,
    ownership: { ownerId: awkwardText, claimedAt: latest, visibleFrom: latest },
    ownedBefore: true,
    reEnrolmentUntil: latest,
    firstUsedAt: latest,
    revokedAt: latest,
    lastSeenAt: latest,
    lastTelemetryAt: latest,
    otaFingerprint: awkwardText,
    configOverrides: { values: awkwardJson, revision: 2_147_483_648 },
    registeredAt: latest,
  }),
  sampleDevice("' OR '1'='1"),
  sampleDevice("__proto__", {
    configOverrides: { values: { text: "漢".repeat(50_000) }, revision: 7 },
  }),
];
