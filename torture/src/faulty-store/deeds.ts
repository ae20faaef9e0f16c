import type { GatewayStore } from "@device-gateway/core";
import { type RouteName, routes } from "@device-gateway/core/contract";
import type { FuzzScene } from "../fuzz/fuzz-world.js";
import type { FuzzRequest } from "../fuzz/message.js";
import type { Provocation } from "../fuzz/provocation.js";
import { type Case, cases, toRequest } from "../fuzz/provocations.js";

/** Something that a client does, and repeats until it hears that it is done. */
export interface Deed {
  readonly name: RouteName;
  readonly status: number;
  request(scene: FuzzScene): Promise<FuzzRequest>;
  /** What a repetition may say, when the first time was done and not heard of. */
  readonly again: readonly number[];
  /** Whether what is stored is what was asked for, done once; null: it is. */
  settled(store: GatewayStore, request: FuzzRequest): Promise<string | null>;
}

/** What the second of two says that do the same. */
const secondTime: Partial<Record<RouteName, readonly number[]>> = {
  registerDevice: [200],
  releaseDevice: [404],
  eraseDevice: [404],
  createRelease: [200],
};

const bodyOf = ({ body }: FuzzRequest) =>
  JSON.parse(body?.toString() ?? "null") as Readonly<Record<string, string>>;
const idIn = ({ target }: FuzzRequest) =>
  decodeURIComponent(/devices\/([^/?]+)/.exec(target)?.[1] ?? "");

type Settled = Deed["settled"];
const expects = (fine: boolean, what: string) => (fine ? null : what);

const settledBy: Partial<Record<RouteName, Settled>> = {
  registerDevice: async ({ devices }, request) =>
    expects((await devices.find(bodyOf(request)["deviceId"] ?? "")) !== null, "it is not there"),
  claimDevice: async ({ devices }, request) => {
    const device = await devices.find(bodyOf(request)["deviceId"] ?? "");
    return expects(device?.ownership?.ownerId === "owner-1", "it is not the owner's");
  },
  releaseDevice: async ({ devices }, request) => {
    const device = await devices.find(idIn(request));
    return expects(device !== null && device.ownership === null, "somebody still owns it");
  },
  renameDevice: async ({ devices }, request) =>
    expects((await devices.find(idIn(request)))?.name === "Cabin", "it is not named"),
  eraseDevice: async ({ devices }, request) =>
    expects((await devices.find(idIn(request))) === null, "it is still there"),
  revokeDevice: async ({ devices }, request) =>
    expects(
      typeof (await devices.find(idIn(request)))?.revokedAt === "number",
      "it is not shut out",
    ),
  createRelease: async ({ releases }, request) => {
    const { version, targetHardware = null } = bodyOf(request);
    const statuses = ["draft", "active", "paused", "withdrawn"] as const;
    const before = Number.MAX_SAFE_INTEGER;
    const query = { targetHardware, rolloutChannel: null, statuses, before, limit: 500 };
    const found = (await releases.list(query)).filter((release) => release.version === version);
    return expects(found.length === 1, `${found.length} are there`);
  },
};

const more = (name: RouteName, make: Provocation): Case => ({
  name,
  status: 200,
  request: async (scene) => toRequest(routes[name], await make(scene), scene),
});

/** Ways that a route has beside its plain one, and on which it comes to other methods of the ports. */
const detours: readonly Case[] = [
  more("readConfig", async ({ register }) => ({ token: (await register()).token })),
  more("loginDevice", async ({ register }) => {
    const { deviceId, deviceSecret } = await register();
    return { body: { deviceId, deviceSecret, firmwareVersion: "0.2.0" } };
  }),
  more("readTelemetryHistory", () => ({})),
  more("readAuditTrail", () => ({ query: { order: "newest" } })),
];

/** Every success that a route declares; to be heard of twice, a deed must be the same both times. */
export const deeds: readonly Deed[] = [
  ...cases.filter(({ status }) => status < 400),
  ...detours,
].map(
  ({ name, status, request }: Case): Deed => ({
    name,
    status,
    request,
    again: secondTime[name] ?? [],
    settled: settledBy[name] ?? (async () => null),
  }),
);

/** Statuses by which a route says that something is done. */
export const successesOf = (name: RouteName): readonly number[] =>
  routes[name].responses.map(({ status }) => status);
