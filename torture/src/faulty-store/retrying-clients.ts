import type { Findings } from "../attack.js";
import { createDice, type Dice } from "../dice.js";
import type { FuzzDevice, FuzzScene, FuzzWorld } from "../fuzz/fuzz-world.js";
import type { FuzzRequest } from "../fuzz/message.js";
import { faultKinds, type Plan, settle, withPlan } from "./create-faulty-store.js";
import { type InProcessReply, sendInProcess } from "./send-in-process.js";

const clients = 6;
const steps = 12;
/** Share of the store's calls that fail. */
const faultShare = 0.15;
const maxTries = 60;

/** What must be stored in the end. */
interface Expected {
  readonly records: number;
  readonly interval: number | null;
}

const toRequest = (
  method: string,
  path: string,
  token: string,
  body: unknown,
  headers: Record<string, string> = {},
): FuzzRequest => ({
  method,
  target: `/api/v1${path}`,
  headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
  body: Buffer.from(JSON.stringify(body)),
  fault: null,
});

/** Runs a device and its owner, who repeat each request until it succeeds. Returns what must be stored then. */
async function runClient(
  world: FuzzWorld,
  scene: FuzzScene,
  device: FuzzDevice,
  dice: Dice,
  report: (what: string) => void,
): Promise<Expected> {
  const plan: Plan = { faultFor: () => (dice.chance(faultShare) ? dice.pick(faultKinds) : null) };
  const { deviceId, deviceSecret, claimCode } = device;
  const { owner } = scene.tokens;
  let { token } = device;
  let records = 0;
  let interval: number | null = null;

  const untilDone = async (request: () => FuzzRequest): Promise<InProcessReply> => {
    for (let tries = 0; tries < maxTries; tries++) {
      const sent = request();
      const reply = await withPlan(plan, () => sendInProcess(world.handle, sent));
      if (reply.status < 300) return reply;
      if (reply.status < 500) {
        report(
          `${sent.method} ${sent.target} returned ${reply.status} ${reply.body.slice(0, 200)}`,
        );
        return reply;
      }
    }
    report(`gave up after ${maxTries} tries`);
    return { status: 0, body: "{}" };
  };

  await untilDone(() => toRequest("POST", "/user/devices/claim", owner, { deviceId, claimCode }));
  for (let step = 0; step < steps; step++) {
    world.advance(dice.pick([1, 300, 1_000, 61_000]));
    switch (dice.int(4)) {
      case 0: {
        const reply = await untilDone(() =>
          toRequest("POST", "/device/login", "", { deviceId, deviceSecret }),
        );
        token = (JSON.parse(reply.body) as { token?: string }).token ?? token;
        break;
      }
      case 1: {
        const seconds = 10 + dice.int(1_000);
        const path = `/dashboard/devices/${deviceId}/config`;
        await untilDone(() => toRequest("PUT", path, owner, { telemetryIntervalSeconds: seconds }));
        interval = seconds;
        // The process that made a change must see it at once.
        const { body } = await untilDone(() => toRequest("GET", "/device/config", token, null));
        const { telemetryIntervalSeconds: actual } = JSON.parse(body) as Record<string, unknown>;
        if (actual !== seconds)
          report(`the interval is ${String(actual)}, but was set to ${seconds}`);
        break;
      }
      default: {
        // No two batches are equal. One record of each batch is invalid.
        const timestamp = Date.UTC(2025, 0, 1) + step * 1_000;
        const batch = [{ timestamp, seq: 1, v: step }, 5, { timestamp, seq: 2, v: step }];
        const headers = dice.chance(0.5) ? { "idempotency-key": `step-${step}` } : {};
        const reply = await untilDone(() => toRequest("POST", "/telemetry", token, batch, headers));
        const {
          accepted = 0,
          duplicates = 0,
          rejected = [],
        } = JSON.parse(reply.body) as {
          accepted?: number;
          duplicates?: number;
          rejected?: readonly unknown[];
        };
        if (accepted + duplicates !== 2 || rejected.length !== 1) {
          report(`of two records ${accepted} are accepted, ${duplicates} are duplicates`);
        }
        records += 2;
      }
    }
  }
  return { records, interval };
}

/** Runs several devices and owners, who retry, over a store that often fails. Returns the number of steps. */
export async function runRetryingClients(
  world: FuzzWorld,
  findings: Findings,
  seed: number,
  round: number,
): Promise<number> {
  const scene = await world.build();
  const devices: FuzzDevice[] = [];
  for (let n = 0; n < clients; n++) devices.push(await scene.register());
  const add = (what: string) => findings.add(`with a failing store: ${what}`, round);
  const expected = await Promise.all(
    devices.map((device, n) => runClient(world, scene, device, createDice(seed + n), add)),
  );
  await settle();
  const { store } = world;
  for (const [n, { deviceId }] of devices.entries()) {
    const { records, interval } = expected[n] as Expected;
    const stored = await store.telemetry.read({ deviceId, after: 0, limit: 1_000 });
    const identities = new Set(stored.map(({ at, seq }) => `${at} ${seq}`));
    if (stored.length !== records || identities.size !== records) {
      add(
        `${stored.length} records are stored, ${identities.size} different ones, expected ${records}`,
      );
    }
    const device = await store.devices.find(deviceId);
    if (device?.ownership?.ownerId !== "owner-1") add("the owner does not own the device");
    const actual = device?.configOverrides.values["telemetryIntervalSeconds"] ?? null;
    if (actual !== interval)
      add(`the interval ends as ${String(actual)}, but was set to ${interval}`);
  }
  return clients * steps;
}
