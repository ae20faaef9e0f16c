import { createMemoryBuffer } from "../../buffer/buffer-storage.js";
import type { Fetch } from "../../call-route.js";
import type { ClientError } from "../../client-error.js";
import { createMemoryCredentials } from "../../device/credential-store.js";
import { createDevice, type Device } from "../../device/device.js";
import { isPassing } from "../../retry.js";
import type { Profile } from "./profile.js";
import type { Tally } from "./tally.js";

export interface GatewayPlan {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly fetch: Fetch;
  readonly deviceId: string;
  readonly targetHardware: string;
  readonly profile: Profile;
  /** Below 1, at least 0; the same for the same seed. */
  readonly random: () => number;
  readonly now: () => number;
  readonly tally: Tally;
}

/** One gateway of a simulated fleet. */
export interface VirtualGateway {
  /** Measures, sends, and suffers what its profile holds. */
  tick(): Promise<void>;
  /** Sends what is left, without anything going wrong on purpose; tells what would not go. */
  finish(): Promise<number>;
}

/** What survives a power cut is kept by the plan's gateway; a life is what is between two of them. */
export function createVirtualGateway(plan: GatewayPlan): VirtualGateway {
  const { profile, random, tally, now, deviceId } = plan;
  const flash = { credentials: createMemoryCredentials(), buffer: createMemoryBuffer() };
  const bootedAt = now();
  const drift = (random() * 2 - 1) * profile.clockDrift;
  const clock = { now: () => Math.round(now() + (now() - bootedAt) * drift) };
  let firmwareVersion = "1.0.0";
  let calm = false;
  let measured = 0;
  let isOnline = false;

  const luckOf = (share: number) => !calm && random() < share;

  const fetch: Fetch = async (url, init) => {
    tally.requests += 1;
    const isLost = luckOf(profile.lostRequest);
    if (isLost && random() < 0.5) throw new TypeError("The request was lost.");
    const response = await plan.fetch(url, init);
    if (!isLost) return response;
    await response.body?.cancel();
    throw new TypeError("The answer was lost.");
  };

  const powerUp = (): Device =>
    createDevice({
      baseUrl: plan.baseUrl,
      basePath: plan.basePath,
      fetch,
      identity: {
        deviceId,
        hardwareId: "sim:virtual",
        targetHardware: plan.targetHardware,
        firmwareVersion,
        claimCode: "SIMU-LATE",
      },
      ...flash,
      clock,
      retry: { tries: 8, baseMs: 250 },
      onEvent: (event) => {
        if (event.kind === "retrying") tally.retries += 1;
        if (event.kind === "sent") {
          tally.accepted += event.accepted;
          tally.duplicates += event.duplicates;
        }
        if (event.kind === "rejected") tally.rejected += event.verdicts.length;
      },
    });
  let device = powerUp();

  const note = ({ code, ...error }: ClientError | { code: "storage"; message: string }) => {
    if (isPassing({ code: code as ClientError["code"], ...error })) return;
    tally.surprises.set(code, (tally.surprises.get(code) ?? 0) + 1);
  };

  async function send(): Promise<boolean> {
    const flushed = await device.flush();
    if (flushed.isErr()) {
      note(flushed.error as ClientError);
      return false;
    }
    if (!isOnline) tally.online += 1;
    isOnline = true;
    if (flushed.value.answer?.updateAvailable) await update();
    return true;
  }

  /** Takes what is offered, as far as the server sees: without the image. */
  async function update(): Promise<void> {
    const offer = await device.call("readLatestFirmware", {});
    if (offer.isErr()) return note(offer.error);
    if (!offer.value.updateAvailable) return;
    const { version } = offer.value;
    const isBad = luckOf(profile.badFirmware);
    const states = ["downloading", "downloaded", "verified", "installing", "rebooting"] as const;
    for (const state of isBad ? [...states, "rolled_back" as const] : states) {
      const told = await device.call("reportUpdate", { body: { state, version } });
      if (told.isErr()) note(told.error);
    }
    if (isBad) tally.rolledBack += 1;
    else {
      tally.updated += 1;
      firmwareVersion = version;
      device = powerUp();
    }
  }

  /** Sends a record, and then again, as a gateway does that forgot that it has. */
  async function sendTwice(): Promise<void> {
    const record = { timestamp: clock.now(), repeated: true, n: measured };
    for (const expected of [1, 0]) {
      const sent = await device.call("sendTelemetry", { body: record });
      if (sent.isErr()) return note(sent.error);
      if (sent.value.accepted > expected) tally.surprises.set("stored_twice", 1);
    }
  }

  return {
    async tick() {
      measured += 1;
      const temperature = Math.round((20 + 8 * Math.sin(measured / 20) + random()) * 10) / 10;
      const voltage = Math.round((51 + random()) * 100) / 100;
      const kept = await device.record({ temperature, voltage, n: measured });
      if (kept.isErr()) return note({ ...kept.error, code: "storage" });
      tally.recorded += 1;
      if (luckOf(profile.powerCut)) {
        tally.powerCuts += 1;
        device = powerUp();
      }
      if ((await send()) && luckOf(profile.duplicate)) await sendTwice();
    },
    async finish() {
      calm = true;
      return (await send()) ? 0 : Math.max(1, device.waiting);
    },
  };
}
