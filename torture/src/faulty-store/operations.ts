import type { GatewayStore } from "@device-gateway/core";
import { type RouteName, routes } from "@device-gateway/core/contract";
import type { FuzzScene } from "../fuzz/fuzz-world.js";
import type { FuzzRequest } from "../fuzz/message.js";
import type { Provocation } from "../fuzz/provocation.js";
import { type Case, cases, toRequest } from "../fuzz/provocations.js";

/** A request that a client repeats until it succeeds. */
export interface Operation {
  readonly name: RouteName;
  readonly status: number;
  request(scene: FuzzScene): Promise<FuzzRequest>;
  /** Other statuses that a repetition may get if the first request succeeded but its response was lost. */
  readonly again: readonly number[];
  /** Returns null if the store holds what was requested, exactly once. Otherwise says what is wrong. */
  settled(store: GatewayStore, request: FuzzRequest): Promise<string | null>;
}

/** Further statuses of the second of two equal requests. */
const repeatedStatuses: Partial<Record<RouteName, readonly number[]>> = {
  registerDevice: [200],
  releaseDevice: [404],
  eraseDevice: [404],
  removeAlertRule: [404],
  removeWebhook: [404],
  createRelease: [200],
};

const bodyOf = ({ body }: FuzzRequest) =>
  JSON.parse(body?.toString() ?? "null") as Readonly<Record<string, string>>;
const idIn = ({ target }: FuzzRequest) =>
  decodeURIComponent(/devices\/([^/?]+)/.exec(target)?.[1] ?? "");

type Settled = Operation["settled"];
const expects = (isRight: boolean, what: string) => (isRight ? null : what);

const settledBy: Partial<Record<RouteName, Settled>> = {
  registerDevice: async ({ devices }, request) =>
    expects((await devices.find(bodyOf(request)["deviceId"] ?? "")) !== null, "it does not exist"),
  claimDevice: async ({ devices }, request) => {
    const device = await devices.find(bodyOf(request)["deviceId"] ?? "");
    return expects(device?.ownership?.ownerId === "owner-1", "the owner does not own it");
  },
  releaseDevice: async ({ devices }, request) => {
    const device = await devices.find(idIn(request));
    return expects(device !== null && device.ownership === null, "somebody still owns it");
  },
  renameDevice: async ({ devices }, request) =>
    expects((await devices.find(idIn(request)))?.name === "Cabin", "it does not have the new name"),
  changeDeviceMetadata: async ({ metadata }, request) => {
    const site = (await metadata.find(idIn(request)))?.values["site"];
    return expects(site === "Harbour", "the site is not stored");
  },
  changeHardwareMetrics: async ({ metrics }) =>
    expects((await metrics.find("gw-2"))?.["voltage"]?.unit === "V", "the unit is not stored"),
  cancelCommand: async ({ commands }, request) => {
    const commandId = /commands\/([^/?]+)/.exec(request.target)?.[1] ?? "";
    const command = await commands.find({ deviceId: idIn(request), commandId });
    return expects(command?.state === "cancelled", "it is not cancelled");
  },
  eraseDevice: async ({ devices }, request) =>
    expects((await devices.find(idIn(request))) === null, "it still exists"),
  revokeDevice: async ({ devices }, request) =>
    expects(
      typeof (await devices.find(idIn(request)))?.revokedAt === "number",
      "it is not revoked",
    ),
  createRelease: async ({ releases }, request) => {
    const { version, targetHardware = null } = bodyOf(request);
    const statuses = ["draft", "active", "paused", "withdrawn"] as const;
    const before = Number.MAX_SAFE_INTEGER;
    const query = { targetHardware, rolloutChannel: null, statuses, before, limit: 500 };
    const found = (await releases.list(query)).filter((release) => release.version === version);
    return expects(found.length === 1, `${found.length} releases exist`);
  },
};

const variant = (name: RouteName, make: Provocation): Case => ({
  name,
  status: 200,
  request: async (scene) => toRequest(routes[name], await make(scene), scene),
});

let labels = 0;

/** Requests that make a route call other methods of the ports than its plain request does. */
const variants: readonly Case[] = [
  variant("readConfig", async ({ register }) => ({ token: (await register()).token })),
  variant("loginDevice", async ({ register }) => {
    const { deviceId, deviceSecret } = await register();
    return { body: { deviceId, deviceSecret, firmwareVersion: "0.2.0" } };
  }),
  variant("readTelemetryHistory", () => ({})),
  variant("readAuditTrail", () => ({ query: { order: "newest" } })),
  variant("listAllDevices", () => ({ query: { name: "Cab*" } })),
  variant("listAllDevices", () => ({ query: { revoked: "true" } })),
  variant("exportTelemetry", () => ({ query: { from: "0", format: "csv" } })),
  variant("sendTelemetry", async ({ register }) => ({
    token: (await register()).token,
    body: { records: [{ timestamp: "not a time" }] },
  })),
  // Metrics that are stored already are not written again.
  variant("changeHardwareMetrics", () => ({
    query: { targetHardware: "gw-2" },
    body: { voltage: { unit: "V", displayName: `Voltage ${labels++}` } },
  })),
];

/** One operation for every success that a route declares. */
export const operations: readonly Operation[] = [
  ...cases.filter(({ status }) => status < 400),
  ...variants,
].map(
  ({ name, status, request }: Case): Operation => ({
    name,
    status,
    request,
    again: repeatedStatuses[name] ?? [],
    settled: settledBy[name] ?? (async () => null),
  }),
);

/** Returns the statuses of a route's successful responses. */
export const successesOf = (name: RouteName): readonly number[] =>
  routes[name].responses.map(({ status }) => status);
