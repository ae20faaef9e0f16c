import type { GatewayStore, SessionAuthenticator } from "@device-gateway/core";
import type { Alert, SecurityEvent } from "@device-gateway/core/store";
import { createFakeClock } from "@device-gateway/testing";
import { z } from "zod";
import { customer } from "../issuer.js";
import { firmware } from "../releases.js";
import { hardwareId, planted, secrets } from "../samples/planted-ids.js";
import type { Storage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldOptions } from "../world.js";
import { plantCommand } from "./plant-command.js";
import { plantReleases } from "./plant-releases.js";
import { plantWebhook } from "./plant-webhook.js";

/** Values that a response may or must not contain. None occurs by accident. */
export const markers = {
  former: {
    id: "former-owner-5518",
    name: "Name-by-former-7731",
    config: "config-of-former-6642",
    telemetry: "telemetry-of-former-9953",
    metadata: "site-of-former-6128",
    command: "command-of-former-5319",
    reading: "731.0625",
  },
  present: {
    id: "present-owner-4417",
    name: "Name-by-owner-2264",
    config: "config-of-owner-1375",
    telemetry: "telemetry-of-owner-8886",
    metadata: "tariff-of-owner-3947",
    command: "command-of-owner-9172",
    reading: "418.9375",
  },
} as const;

type Marker = (typeof markers)[keyof typeof markers];

/** Markers of the releases: only devices of its hardware see the image, only operators the draft. */
export const releaseMarkers = {
  image: "image-of-release-7754",
  draftNotes: "notes-of-draft-3391",
} as const;

export const deviceId = "victim-3391";
/** Has the length of the victim's id, but is never registered. */
export const unknownId = "nobody-3391";

const users = {
  former: customer(markers.former.id),
  owner: customer(markers.present.id),
  stranger: customer("stranger-1"),
  operator: customer("operator-1", { roles: ["operator"] }),
  unverified: customer("unverified-1", { emailVerified: false }),
};

/** A stored device with a history, from which any number of worlds start. */
export interface Scene {
  readonly storage: Storage;
  readonly now: number;
  readonly seed: number;
  readonly tokens: Readonly<Record<keyof typeof users | "device" | "otherDevice", string>>;
  /** Values that no response may contain, whoever the caller is. */
  readonly forbidden: readonly string[];
}

/** Authenticates dashboard users by a session cookie, as most embedders do, or by a bearer token. */
export const sessionsOf = (world: () => World): SessionAuthenticator => ({
  async authenticateRequest(request) {
    const bearer = /^Bearer (.+)$/.exec(request.header("authorization") ?? "")?.[1];
    const cookie = /^session=(.+)$/.exec(request.header("cookie") ?? "")?.[1];
    const token = bearer ?? cookie;
    if (token === undefined) return null;
    const user = await world().issuer.authenticator.authenticateToken(token);
    return user && { user, proof: bearer === undefined ? "cookie" : "bearer" };
  },
});

/** Opens a world with the options that this attack always uses. */
export async function openSceneWorld(wanted: WorldOptions): Promise<World> {
  let opened: World | undefined;
  const sessions = sessionsOf(() => opened as World);
  const config = { settings: z.object({ note: z.string().optional() }) };
  const metadata = {
    schema: z.object({ site: z.string().optional(), tariff: z.string().optional() }),
    ownerReadable: ["site", "tariff"],
    indexed: ["tariff"],
  } as const;
  const commands = {
    show: { payload: z.object({ text: z.string() }), sentBy: ["owner"] },
  } as const;
  const options = {
    sessions,
    commands,
    config,
    metadata,
    summaryMetrics: ["voltage"],
    publicUrl: "https://gw.test",
    firmware,
  };
  opened = await openWorld({ ...wanted, options, webhooksOfOwners: true });
  return opened;
}

/** Writes a rule of the owner and its alert about the device. */
async function plantAlert({ alerts, devices }: GatewayStore, ownerId: string): Promise<void> {
  const { ownership = null } = (await devices.find(deviceId)) ?? {};
  const { ruleId, alertId: id } = planted;
  const event = (kind: SecurityEvent["kind"]): SecurityEvent => ({
    ...{ kind, at: 0, deviceId, actor: "gateway", requestId: null, clientAddress: null },
    details: {},
  });
  await alerts.createRule({
    rule: {
      ...{ id: ruleId, revision: 1, ownerId, deviceId: null, targetHardware: null },
      ...{ name: "Silent", condition: { kind: "silent", intervals: 5 }, reminderSeconds: null },
      ...{ mutedUntil: null, createdAt: 0, changedAt: 0 },
    },
    ...{ most: 50, event: event("alert_rule.created") },
  });
  const alert: Alert = {
    ...{ id, ruleId, ownerId, subject: deviceId, deviceId, firedAt: 0, clearedAt: null },
    ...{ acknowledgedAt: null, acknowledgedBy: null, mutedUntil: null, remindedAt: null },
    details: { name: "Silent", condition: "silent" },
  };
  await alerts.judge({
    watch: { deviceId, revision: 1, content: {}, receivedAt: 0, dueAt: 0, silentAt: null },
    ...{ expectedRevision: null, owner: ownership },
    transitions: [{ kind: "firing", alert, event: event("alert.firing"), notification: null }],
  });
}

/** Registers the device, has a former and then the present owner claim and use it, and plants markers. */
export async function setScene(storage: Storage, seed: number): Promise<Scene> {
  const clock = createFakeClock();
  const world = await openSceneWorld({ storage, seed, clock });
  const { send, issuer } = world;
  const body = { hardwareId, firmwareVersion: "0.1.10" };
  const registered = async (id: string, claimCode: string, targetHardware = hardwareId) =>
    need(
      await send({
        method: "POST",
        path: "/device/register",
        body: {
          ...body,
          ...{ deviceId: id, claimCode, targetHardware, hardwareFingerprint: "finger-2214" },
        },
      }),
      201,
    );
  const victim = await registered(deviceId, secrets.claimCode);
  const other = await registered("other-device-1", "OTHER-CODE-1", "esp32:other-board");
  const deviceSecret = needText(victim, "deviceSecret");

  const login = async () => {
    const path = "/device/login";
    const reply = await send({ method: "POST", path, body: { deviceId, deviceSecret } });
    return needText(need(reply, 200), "token");
  };
  const own = async (user: keyof typeof users, marker: Marker) => {
    const token = await issuer.tokenOf(users[user]);
    const devicePath = `/dashboard/devices/${deviceId}`;
    const path = "/user/devices/claim";
    const claim = { deviceId, claimCode: secrets.claimCode };
    need(await send({ method: "POST", path, token, body: claim }), 200);
    need(await send({ method: "PUT", path: devicePath, token, body: { name: marker.name } }), 200);
    const config = { note: marker.config };
    need(await send({ method: "PUT", path: `${devicePath}/config`, token, body: config }), 200);
    const [store] = world.stores;
    if (store === undefined) throw new Error("The world has no store.");
    const sender = { id: marker.id, now: clock.now() };
    const planted = { deviceId, marker: marker.command };
    await plantCommand(store, { ...planted, commandId: `taken-from-${user}` }, sender);
    await store.commands.take({ deviceId, after: null, limit: 1, now: sender.now });
    await plantCommand(store, { ...planted, commandId: `of-${user}` }, sender);
    const record = { voltage: 12.5, reading: Number(marker.reading), note: marker.telemetry };
    const device = await login();
    clock.advance(60_000);
    need(await send({ method: "POST", path: "/telemetry", token: device, body: record }), 200);
    clock.advance(60_000);
  };
  const describe = async (metadata: object) => {
    const path = `/operator/devices/${deviceId}/metadata`;
    const token = await issuer.tokenOf(users.operator);
    need(await send({ method: "PATCH", path, token, body: metadata }), 200);
  };
  await own("former", markers.former);
  await describe({ site: markers.former.metadata, tariff: markers.former.metadata });
  const formerToken = await issuer.tokenOf(users.former);
  const release = `/user/devices/${deviceId}/claim`;
  need(await send({ method: "DELETE", path: release, token: formerToken }), 204);
  clock.advance(60_000);
  await own("owner", markers.present);
  await describe({ tariff: markers.present.metadata });
  await plantAlert(world.stores[0] as GatewayStore, markers.present.id);
  for (const [name, ownerId] of [
    ["operators", null],
    ["owner", markers.present.id],
    ["former", markers.former.id],
  ] as const) {
    const webhook = { id: planted.webhooks[name], ownerId, deviceId };
    await plantWebhook(world.stores[0] as GatewayStore, webhook, seed);
  }
  await plantReleases(world, await issuer.tokenOf(users.operator), hardwareId, releaseMarkers);

  const [store] = world.stores;
  const stored = await store?.devices.find(deviceId);
  const device = await login();
  const scene: Scene = {
    storage,
    now: clock.now(),
    seed,
    tokens: {
      former: formerToken,
      owner: await issuer.tokenOf(users.owner),
      stranger: await issuer.tokenOf(users.stranger),
      operator: await issuer.tokenOf(users.operator),
      unverified: await issuer.tokenOf(users.unverified),
      device,
      otherDevice: needText(other, "token"),
    },
    forbidden: [
      deviceSecret,
      secrets.claimCode,
      secrets.claimCode.replaceAll("-", ""),
      stored?.claimCodeHash ?? "",
      stored?.credential.secretHash ?? "",
      stored?.profile.fingerprintHash ?? "",
      "finger-2214",
      device,
    ].filter((secret) => secret !== ""),
  };
  await world.close();
  return scene;
}
