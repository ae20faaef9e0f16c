import type { Dice } from "../dice.js";
import { describeRelease } from "../releases.js";
import { need, needText, type World, type WorldRequest } from "../world.js";
import type { Timeline } from "./timeline.js";

const minuteMs = 60_000;
const maintainEveryMs = 5 * minuteMs;
const hardwareId = "esp32:devkit-v1";
const [oldVersion, newVersion] = ["1.0.0", "1.1.0"];

export interface FleetPlan {
  readonly devices: number;
  /** How often each device asks for firmware. */
  readonly checkEveryMs: number;
  /** The share of devices, from 0 to 1, on which the release always fails. */
  readonly failureShare: number;
  /** How a failing device behaves: reports the failure, boots the old firmware, or never answers again. */
  readonly ways: readonly FailingWay[];
}
export type FailingWay = "reports" | "rolls back" | "falls silent";

/** Numbers of devices whose update has ended. */
export interface EndedUpdates {
  readonly failed: number;
  readonly succeeded: number;
}

/** Counts of the fleet's devices. */
export interface FleetTally {
  /** Devices that asked for firmware at least once. */
  asked: number;
  /** Devices that downloaded the image. */
  touched: number;
  broken: number;
  updated: number;
  /** Devices that downloaded the image for the first time after the halt. */
  late: number;
  haltedAt: number | null;
  /** Devices whose update had ended at the halt, as the audit trail says. */
  countedAtHalt: EndedUpdates | null;
  /** The same as the fleet knows it, up to a minute later. */
  endedAtHalt: EndedUpdates | null;
}

interface Member {
  readonly deviceId: string;
  readonly secret: string;
  token: string;
  readonly fails: boolean;
  touched: boolean;
}

/** Returns a different address for each device. */
function addressOf(deviceId: string): string {
  const n = Number(deviceId.slice("gw-".length));
  return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
}

/** Publishes the only release. */
export async function publishRelease({ send }: World, operator: string): Promise<void> {
  const path = "/operator/firmware/releases";
  const image = "the image that goes out to the whole fleet";
  const body = describeRelease(newVersion, hardwareId, image);
  need(await send({ method: "POST", path, token: operator, body }), 201, 200);
  const bytes = Buffer.from(image);
  need(await send({ method: "PUT", path: `${path}/1/image`, token: operator, body: bytes }), 200);
  const activate = { method: "PATCH", path: `${path}/1`, body: { status: "active" } };
  need(await send({ ...activate, token: operator }), 200);
}

/** Starts the fleet: each device asks for firmware at its own time and follows the response. */
export function sendFleetOut(
  world: World,
  timeline: Timeline,
  dice: Dice,
  plan: FleetPlan,
): FleetTally {
  const { clock } = world;
  const tally: FleetTally = {
    asked: 0,
    touched: 0,
    broken: 0,
    updated: 0,
    late: 0,
    haltedAt: null,
    countedAtHalt: null,
    endedAtHalt: null,
  };
  const send = async (deviceId: string, request: WorldRequest) =>
    world.send({ address: addressOf(deviceId), ...request });

  async function join(deviceId: string): Promise<Member> {
    const body = { deviceId, hardwareId, firmwareVersion: oldVersion, claimCode: "ABCD-EFGH" };
    const path = "/device/register";
    const reply = need(await send(deviceId, { method: "POST", path, body }), 201);
    const token = needText(reply, "token");
    const fails = dice.chance(plan.failureShare);
    return { deviceId, secret: needText(reply, "deviceSecret"), token, fails, touched: false };
  }

  async function boot(member: Member, firmwareVersion: string): Promise<void> {
    const { deviceId, secret: deviceSecret } = member;
    const body = { deviceId, deviceSecret, firmwareVersion };
    const reply = await send(deviceId, { method: "POST", path: "/device/login", body });
    member.token = needText(need(reply, 200), "token");
  }

  async function end(member: Member): Promise<void> {
    const { deviceId, token } = member;
    if (!member.fails) {
      tally.updated += 1;
      await boot(member, newVersion);
      return;
    }
    tally.broken += 1;
    switch (dice.pick(plan.ways)) {
      case "reports": {
        const body = { state: "failed", version: newVersion, code: "flash-write" };
        need(await send(deviceId, { method: "POST", path: "/ota/events", token, body }), 202);
        break;
      }
      case "rolls back": {
        const body = { state: "rebooting", version: newVersion };
        need(await send(deviceId, { method: "POST", path: "/ota/events", token, body }), 202);
        await boot(member, oldVersion);
        break;
      }
      case "falls silent":
        return;
    }
    timeline.after(plan.checkEveryMs, () => ask(member));
  }

  async function ask(member: Member): Promise<void> {
    const { deviceId } = member;
    await boot(member, oldVersion);
    const latest = { method: "GET", path: "/ota/latest", token: member.token };
    const offer = JSON.parse(need(await send(deviceId, latest), 200).body) as {
      updateAvailable: boolean;
      downloadUrl?: string;
    };
    if (offer.updateAvailable) {
      const path = new URL(offer.downloadUrl ?? "").pathname.replace("/api/v1", "");
      const image = await send(deviceId, { method: "GET", path, token: member.token });
      if (image.status === 200) {
        if (!member.touched) tally.touched += 1;
        if (!member.touched && tally.haltedAt !== null) tally.late += 1;
        member.touched = true;
        timeline.after((1 + 4 * dice.next()) * minuteMs, () => end(member));
        return;
      }
    }
    timeline.after(plan.checkEveryMs, () => ask(member));
  }

  for (let n = 0; n < plan.devices; n++) {
    timeline.after(dice.next() * plan.checkEveryMs, async () => {
      tally.asked += 1;
      await ask(await join(`gw-${n}`));
    });
  }
  const [gateway] = world.gateways;
  timeline.after(maintainEveryMs, async function maintain() {
    await gateway?.maintain();
    timeline.after(maintainEveryMs, maintain);
  });
  timeline.after(minuteMs, async function watch() {
    const release = await world.stores[0]?.releases.find(1);
    if (release?.haltedAt && tally.haltedAt === null) {
      tally.haltedAt = clock.now();
      tally.endedAtHalt = { failed: tally.broken, succeeded: tally.updated };
      tally.countedAtHalt = await readCounted(world);
    }
    timeline.after(minuteMs, watch);
  });
  return tally;
}

/** Returns the numbers of ended updates in the audit trail's halt event. */
async function readCounted({ stores }: World): Promise<EndedUpdates | null> {
  let after = 0;
  for (;;) {
    const events = (await stores[0]?.securityEvents.list({ after, limit: 500 })) ?? [];
    const halt = events.find(({ kind }) => kind === "release.halted");
    if (halt) {
      const { details } = halt;
      return { failed: Number(details["failed"]), succeeded: Number(details["succeeded"]) };
    }
    if (events.length === 0) return null;
    after = events.at(-1)?.id ?? after;
  }
}
