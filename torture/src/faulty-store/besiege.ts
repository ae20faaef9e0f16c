import type { Findings } from "../attack.js";
import { createDice, type Dice } from "../dice.js";
import type { FuzzDevice, FuzzScene, FuzzWorld } from "../fuzz/fuzz-world.js";
import type { FuzzRequest } from "../fuzz/message.js";
import { faultKinds, type Plan, settle, withPlan } from "./create-faulty-store.js";
import { type InProcessReply, sendInProcess } from "./send-in-process.js";

const clients = 6;
const steps = 12;
/** Of the store's calls, so many go wrong. */
const share = 0.15;
const enoughTries = 60;

interface Wanted {
  readonly records: number;
  readonly interval: number | null;
}

const plain = (
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

/** One device and its owner, each of whom repeats until it is done; says what must be stored then. */
async function live(
  world: FuzzWorld,
  scene: FuzzScene,
  device: FuzzDevice,
  dice: Dice,
  found: (what: string) => void,
): Promise<Wanted> {
  const plan: Plan = { strike: () => (dice.chance(share) ? dice.pick(faultKinds) : null) };
  const { deviceId, deviceSecret, claimCode } = device;
  const { owner } = scene.tokens;
  let { token } = device;
  let records = 0;
  let interval: number | null = null;

  const untilDone = async (request: () => FuzzRequest): Promise<InProcessReply> => {
    for (let tries = 0; tries < enoughTries; tries++) {
      const sent = request();
      const reply = await withPlan(plan, () => sendInProcess(world.handle, sent));
      if (reply.status < 300) return reply;
      if (reply.status < 500) {
        found(`${sent.method} ${sent.target} says ${reply.status} ${reply.body.slice(0, 200)}`);
        return reply;
      }
    }
    found(`gave up after ${enoughTries} tries`);
    return { status: 0, body: "{}" };
  };

  await untilDone(() => plain("POST", "/user/devices/claim", owner, { deviceId, claimCode }));
  for (let step = 0; step < steps; step++) {
    world.advance(dice.pick([1, 300, 1_000, 61_000]));
    switch (dice.int(4)) {
      case 0: {
        const reply = await untilDone(() =>
          plain("POST", "/device/login", "", { deviceId, deviceSecret }),
        );
        token = (JSON.parse(reply.body) as { token?: string }).token ?? token;
        break;
      }
      case 1: {
        const seconds = 10 + dice.int(1_000);
        const path = `/dashboard/devices/${deviceId}/config`;
        await untilDone(() => plain("PUT", path, owner, { telemetryIntervalSeconds: seconds }));
        interval = seconds;
        // What is done is seen at once in the process that did it.
        const { body } = await untilDone(() => plain("GET", "/device/config", token, null));
        const { telemetryIntervalSeconds: told } = JSON.parse(body) as Record<string, unknown>;
        if (told !== seconds) found(`the interval is ${String(told)}, was set to ${seconds}`);
        break;
      }
      default: {
        // No two batches are alike; one of each has a record that is none.
        const timestamp = Date.UTC(2025, 0, 1) + step * 1_000;
        const batch = [{ timestamp, seq: 1, v: step }, 5, { timestamp, seq: 2, v: step }];
        const headers = dice.chance(0.5) ? { "idempotency-key": `step-${step}` } : {};
        const reply = await untilDone(() => plain("POST", "/telemetry", token, batch, headers));
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
          found(`of two records ${accepted} are accepted, ${duplicates} there before`);
        }
        records += 2;
      }
    }
  }
  return { records, interval };
}

/** Several devices and owners over a store that fails all the time, who repeat until it is done. */
export async function besiege(
  world: FuzzWorld,
  findings: Findings,
  seed: number,
  round: number,
): Promise<number> {
  const scene = await world.build();
  const devices: FuzzDevice[] = [];
  for (let n = 0; n < clients; n++) devices.push(await scene.register());
  const add = (what: string) => findings.add(`under siege: ${what}`, round);
  const wanted = await Promise.all(
    devices.map((device, n) => live(world, scene, device, createDice(seed + n), add)),
  );
  await settle();
  const { store } = world;
  for (const [n, { deviceId }] of devices.entries()) {
    const { records, interval } = wanted[n] as Wanted;
    const stored = await store.telemetry.read({ deviceId, after: 0, limit: 1_000 });
    const told = new Set(stored.map(({ at, seq }) => `${at} ${seq}`));
    if (stored.length !== records || told.size !== records) {
      add(`${stored.length} records are stored, ${told.size} of them once, of ${records}`);
    }
    const device = await store.devices.find(deviceId);
    if (device?.ownership?.ownerId !== "owner-1") add("the owner does not own the device");
    const kept = device?.configOverrides.values["telemetryIntervalSeconds"] ?? null;
    if (kept !== interval) add(`the interval ends as ${String(kept)}, was set to ${interval}`);
  }
  return clients * steps;
}
