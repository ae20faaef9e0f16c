import { type Gateway, type GatewayStore, type Logger, silentLogger } from "@device-gateway/core";
import type { Alert, SecurityEvent } from "@device-gateway/core/store";
import { createFakeClock } from "@device-gateway/testing";
import { z } from "zod";
import type { Handle, Plants } from "../attack.js";
import { sessionsOf } from "../authorization/scene.js";
import { customer } from "../issuer.js";
import { describeRelease, firmware } from "../releases.js";
import type { Storage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldRequest } from "../world.js";
import { faultyClock, faultyStore, faultyThrottle } from "./faults.js";

const users = {
  owner: customer("owner-1"),
  stranger: customer("stranger-1"),
  operator: customer("operator-1", { roles: ["operator"] }),
  unverified: customer("unverified-1", { emailVerified: false }),
};
export type UserName = keyof typeof users;

const refusal = { reason: "unwelcome", detail: "The fuzz world refuses it." };

/** Hardware that the gateway does not admit. */
export const refusedHardware = "unwelcome:board";
const manyPerMinute = 1_000_000;

/** Small limits, so that a body over the limit costs little. */
export const bodyLimits = {
  bodyBytes: 16_384,
  telemetryBodyBytes: 32_768,
  firmwareImageBytes: 4_096,
} as const;

export interface FuzzDevice {
  readonly deviceId: string;
  readonly claimCode: string;
  readonly deviceSecret: string;
  readonly token: string;
}

/** Users, a device and releases that requests are about. */
export interface FuzzScene {
  readonly tokens: Readonly<Record<UserName, string>>;
  /** Owned by the owner, with a record and a release for its hardware. */
  readonly device: FuzzDevice;
  readonly hardwareId: string;
  readonly image: string;
  readonly release: { readonly version: string; readonly id: string };
  readonly draft: { readonly version: string; readonly id: string };
  /** Returns a new number. */
  next(): number;
  /** Registers another device with the scene's hardware and no owner. */
  register(firmwareVersion?: string): Promise<FuzzDevice>;
  claim(device: FuzzDevice): Promise<void>;
  /** Makes the gateway refuse that a device is released. */
  keep(device: FuzzDevice): void;
  /** Makes a rule of the owner fire for the device. Returns the id of the alert. */
  fire(ruleId: string): Promise<string>;
  createDraft(): Promise<{ readonly version: string; readonly id: string }>;
  /** Sends a preparing request and ignores its status. */
  send(request: WorldRequest): Promise<Awaited<ReturnType<World["send"]>>>;
}

export interface FuzzWorld {
  readonly gateway: Gateway;
  readonly handle: Handle;
  /** Builds a new scene one hour later, when earlier attempts no longer count. */
  build(): Promise<FuzzScene>;
  advance(ms: number): void;
  /** The store, for checks. */
  readonly store: GatewayStore;
  close(): Promise<void>;
}

/** Writes an alert of a rule, as the evaluator does. */
async function fireAlert(
  { alerts, devices }: GatewayStore,
  { ruleId, deviceId, next }: { ruleId: string; deviceId: string; next: () => number },
): Promise<string> {
  const id = `alert-${next()}`;
  const { ownership } = (await devices.find(deviceId)) ?? {};
  const found = await alerts.findWatch(deviceId);
  const revision = (found?.revision ?? 0) + 1;
  const alert: Alert = {
    ...{ id, ruleId, ownerId: ownership?.ownerId ?? null, subject: deviceId, deviceId, firedAt: 0 },
    ...{ clearedAt: null, acknowledgedAt: null, acknowledgedBy: null, mutedUntil: null },
    ...{ remindedAt: null, details: { name: "Silent", condition: "silent" } },
  };
  const event: SecurityEvent = {
    ...{ kind: "alert.firing", at: 0, deviceId, actor: "gateway" },
    ...{ requestId: null, clientAddress: null, details: { alertId: id } },
  };
  await alerts.judge({
    watch: { deviceId, revision, content: {}, receivedAt: 0, dueAt: 0, silentAt: null },
    expectedRevision: found?.revision ?? null,
    owner: ownership ?? null,
    transitions: [{ kind: "firing", alert, event, notification: null }],
  });
  return id;
}

export async function openFuzzWorld(
  storage: Storage,
  seed: number,
  plants: Plants | undefined,
  logger: Logger = silentLogger,
): Promise<FuzzWorld> {
  const clock = createFakeClock();
  const kept = new Set<string>();
  let opened: World | undefined;
  const world = await openWorld({
    storage,
    seed,
    clock,
    plants: { ...plants, store: (store) => faultyStore(plants?.store?.(store) ?? store) },
    options: {
      logger,
      clock: faultyClock(clock),
      throttle: faultyThrottle,
      sessions: sessionsOf(() => opened as World),
      summaryMetrics: ["voltage"],
      metadata: { schema: z.looseObject({}), ownerReadable: ["site"], indexed: ["site"] },
      commands: {
        blink: { payload: z.looseObject({}), sentBy: ["owner", "operator"] },
      },
      publicUrl: "https://gw.test",
      firmware,
      limits: {
        ...bodyLimits,
        telemetryPerMinute: manyPerMinute,
        metricsPerMinute: 100_000_000,
        telemetryBytesPerMinute: 0,
        unclaimedBytesPerMinute: 0,
        answerTimeoutSeconds: 60,
        // Requests with a random `wait` are answered at once.
        commandWaiters: 0,
      },
      before: {
        register: ({ hardwareId }) => (hardwareId === refusedHardware ? refusal : undefined),
        release: ({ deviceId }) => (kept.has(deviceId) ? refusal : undefined),
      },
    },
  });
  opened = world;
  const [gateway] = world.gateways as [Gateway];
  const handle: Handle = (request) => gateway.handle(request);
  let count = 0;
  const next = () => ++count;
  const { send } = world;

  async function build(): Promise<FuzzScene> {
    clock.advance(3_600_000);
    const n = next();
    const hardwareId = `board-${n}`;
    const image = `image-${n}`;
    const names = Object.keys(users) as UserName[];
    const signed = await Promise.all(
      names.map(async (name) => [name, await world.issuer.tokenOf(users[name])] as const),
    );
    const tokens = Object.fromEntries(signed) as Record<UserName, string>;
    const releases = "/operator/firmware/releases";

    const register = async (firmwareVersion = "0.1.10"): Promise<FuzzDevice> => {
      const deviceId = `gw-${next()}`;
      const claimCode = `CODE-${deviceId}`;
      const body = { deviceId, claimCode, hardwareId, firmwareVersion };
      const reply = await send({ method: "POST", path: "/device/register", body });
      need(reply, 201);
      const [token, deviceSecret] = [needText(reply, "token"), needText(reply, "deviceSecret")];
      return { deviceId, claimCode, token, deviceSecret };
    };
    const claim = async ({ deviceId, claimCode }: FuzzDevice) => {
      const body = { deviceId, claimCode };
      const path = "/user/devices/claim";
      need(await send({ method: "POST", path, token: tokens.owner, body }), 200);
    };
    const createDraft = async () => {
      const version = `9.0.${next()}`;
      const body = describeRelease(version, hardwareId, image);
      const reply = await send({ method: "POST", path: releases, token: tokens.operator, body });
      const { release } = JSON.parse(need(reply, 201).body) as { release: { id: number } };
      return { version, id: String(release.id) };
    };
    const fire = (ruleId: string) =>
      fireAlert(world.stores[0] as GatewayStore, { ruleId, deviceId: device.deviceId, next });
    const device = await register();
    await claim(device);
    const record = { voltage: 12.5, bms: { soc: 80 }, note: "hello" };
    need(
      await send({ method: "POST", path: "/telemetry", token: device.token, body: record }),
      200,
    );
    const release = await createDraft();
    const path = `${releases}/${release.id}`;
    const token = tokens.operator;
    const bytes = Buffer.from(image);
    need(await send({ method: "PUT", path: `${path}/image`, token, body: bytes }), 200);
    need(await send({ method: "PATCH", path, token, body: { status: "active" } }), 200);
    const draft = await createDraft();
    return {
      tokens,
      device,
      hardwareId,
      image,
      release,
      draft,
      next,
      register,
      claim,
      keep: ({ deviceId }) => void kept.add(deviceId),
      fire,
      createDraft,
      send,
    };
  }

  return {
    gateway,
    handle: plants?.handle?.(handle, world.stores[0] as GatewayStore, logger) ?? handle,
    build,
    advance: clock.advance,
    store: world.stores[0] as GatewayStore,
    close: world.close,
  };
}
