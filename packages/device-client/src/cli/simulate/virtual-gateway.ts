import { createMemoryBuffer } from "../../buffer/buffer-storage.js";
import type { Fetch } from "../../call-route.js";
import type { ClientError } from "../../client-error.js";
import { createMemoryCredentials } from "../../device/credential-store.js";
import { createDevice, type Device } from "../../device/device.js";
import { isPassing } from "../../retry.js";
import type { PinnedKey } from "../../update/trusted-keys.js";
import type { Profile } from "./profile.js";
import type { Tally } from "./tally.js";
import { createVirtualFirmware, type Slots } from "./virtual-firmware.js";
import { watchDownload } from "./watch-download.js";

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
  /** What it verifies firmware with; null: it takes none. */
  readonly key: PinnedKey | null;
  readonly slots: Slots;
}

/** One gateway of a simulated fleet. */
export interface VirtualGateway {
  /** Where in an interval it measures: a share below 1. */
  readonly phase: number;
  /** Registers; gives what is in the way, null when it is in. */
  connect(): Promise<ClientError | null>;
  /** Measures, sends, and suffers what its profile holds. */
  tick(): Promise<void>;
  /** Sends what is left, without anything going wrong on purpose; tells what would not go. */
  finish(): Promise<number>;
}

const factoryVersion = "1.0.0";
/** Operations of flash and bootloader among which the power is cut in an update: most of a small image's. */
const longestUntilCut = 24;

/** What survives a power cut is kept by the plan's gateway; a life is what is between two of them. */
export function createVirtualGateway(plan: GatewayPlan): VirtualGateway {
  const { profile, random, tally, now, deviceId } = plan;
  const flash = { credentials: createMemoryCredentials(), buffer: createMemoryBuffer() };
  const bootedAt = now();
  const drift = (random() * 2 - 1) * profile.clockDrift;
  const clock = { now: () => Math.round(now() + (now() - bootedAt) * drift) };
  let firmwareVersion = factoryVersion;
  let calm = false;
  let measured = 0;
  let isOffered = false;

  const luckOf = (share: number) => !calm && random() < share;

  const fetch: Fetch = async (url, init) => {
    tally.requests += 1;
    const isLost = luckOf(profile.lostRequest);
    if (isLost) tally.lost += 1;
    if (isLost && random() < 0.5) throw new TypeError("The request was lost.");
    const response = await plan.fetch(url, init);
    if (url.includes("/ota/firmware/")) {
      const size = Number(response.headers.get("content-length") ?? 0);
      const onBytes = (bytes: number) => {
        tally.downloaded += bytes;
      };
      return watchDownload(response, onBytes, isLost ? Math.floor(random() * size) : undefined);
    }
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
        if (event.kind === "retrying") {
          tally.retries += 1;
          tally.trouble = event.error.message;
        }
        if (event.kind === "sent") {
          tally.accepted += event.accepted;
          tally.duplicates += event.duplicates;
        }
        if (event.kind === "rejected") tally.rejected += event.verdicts.length;
      },
    });
  let device = powerUp();

  const note = (error: ClientError) => {
    if (isPassing(error)) return;
    tally.surprises.set(error.code, (tally.surprises.get(error.code) ?? 0) + 1);
  };

  async function send(): Promise<boolean> {
    const flushed = await device.flush();
    if (flushed.isErr()) {
      note(flushed.error as ClientError);
      return false;
    }
    if (flushed.value.answer?.updateAvailable) await update();
    return true;
  }

  const firmware =
    plan.key &&
    createVirtualFirmware({
      apiUrl: plan.baseUrl.replace(/\/+$/, "") + plan.basePath,
      fetch,
      tokens: {
        current: () => device.token,
        async renew() {
          const connected = await device.connect();
          if (connected.isErr()) throw new Error(connected.error.message);
        },
      },
      key: plan.key,
      targetHardware: plan.targetHardware,
      factoryVersion,
      now: clock.now,
      random,
      habitOf() {
        if (!luckOf(profile.badFirmware)) return "good";
        return random() < 0.5 ? "crashes" : "fails_self_test";
      },
      tally,
      slots: plan.slots,
      onStart(version) {
        firmwareVersion = version;
        device = powerUp();
      },
    });

  async function update(): Promise<void> {
    if (!isOffered && firmware === null) tally.untaken += 1;
    isOffered = true;
    const isCut = luckOf(profile.powerCut);
    await firmware?.update(isCut ? 1 + Math.floor(random() * longestUntilCut) : null);
  }

  /** Sends a record, and then again, as a gateway does that forgot that it has. */
  async function sendTwice(): Promise<void> {
    const record = { timestamp: clock.now(), repeated: true, n: measured };
    tally.repeated += 1;
    for (const expected of [1, 0]) {
      const sent = await device.call("sendTelemetry", { body: record });
      if (sent.isErr()) return note(sent.error);
      if (sent.value.accepted > expected) tally.surprises.set("stored_twice", 1);
    }
  }

  return {
    phase: random(),
    async connect() {
      const connected = await device.connect();
      if (connected.isErr()) return connected.error;
      tally.registered += 1;
      tally.trouble = null;
      return null;
    },
    async tick() {
      measured += 1;
      const temperature = Math.round((20 + 8 * Math.sin(measured / 20) + random()) * 10) / 10;
      const voltage = Math.round((51 + random()) * 100) / 100;
      const kept = await device.record({ temperature, voltage, n: measured });
      if (kept.isErr()) return note({ ...kept.error, code: "storage" });
      tally.recorded += 1;
      if (luckOf(profile.powerCut)) {
        tally.powerCuts += 1;
        firmware?.restart();
        device = powerUp();
      }
      if ((await send()) && luckOf(profile.duplicate)) await sendTwice();
    },
    async finish() {
      calm = true;
      const isSent = await send();
      // What could not be told in the last run is told in the next.
      if (firmware?.untold) await firmware.update(null);
      if (firmware?.isBad) tally.bad += 1;
      return isSent ? 0 : Math.max(1, device.waiting);
    },
  };
}
