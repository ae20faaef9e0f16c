import { createMemoryBuffer } from "../../buffer/buffer-storage.js";
import type { Fetch } from "../../call-route.js";
import type { ClientError } from "../../client-error.js";
import { createMemoryCredentials } from "../../device/credential-store.js";
import { createDevice, type Device } from "../../device/device.js";
import { isTransient } from "../../retry.js";
import type { PinnedKey } from "../../update/offer/trusted-keys.js";
import type { FleetStats } from "./fleet-stats.js";
import type { Profile } from "./profile.js";
import { createVirtualFirmware, type UpdatePermits } from "./virtual-firmware.js";
import { watchDownload } from "./watch-download.js";

export interface VirtualGatewayOptions {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly fetch: Fetch;
  readonly deviceId: string;
  readonly claimCode: string;
  /** Version that the gateway runs at the start. */
  readonly firmware: string;
  readonly targetHardware: string;
  readonly profile: Profile;
  /** Returns a repeatable number from 0 to below 1. */
  readonly random: () => number;
  readonly now: () => number;
  readonly stats: FleetStats;
  /** Verifies firmware. Null: the gateway installs none. */
  readonly key: PinnedKey | null;
  readonly permits: UpdatePermits;
}

/** One gateway of a simulated fleet. */
export interface VirtualGateway {
  readonly deviceId: string;
  /** The version that it runs. */
  readonly firmware: string;
  /** When the gateway measures within an interval: from 0 to below 1. */
  readonly phase: number;
  /** Registers. Returns the error, or null after success. */
  connect(): Promise<ClientError | null>;
  /** Measures and sends, with the faults of the profile. */
  tick(): Promise<void>;
  /** Sends the remaining records without planned faults. Returns how many remain unsent. */
  finish(): Promise<number>;
}

/** The hardware id of every simulated gateway. */
export const simulatedHardware = "sim:virtual";
/** The power is cut within this many flash operations of an update, most of those of a small image. */
const maxOperationsUntilCut = 24;

/** Creates a virtual gateway. Its flash survives power cuts; everything else starts again. */
export function createVirtualGateway(options: VirtualGatewayOptions): VirtualGateway {
  const { profile, random, stats, now, deviceId } = options;
  const flash = { credentials: createMemoryCredentials(), buffer: createMemoryBuffer() };
  const bootedAt = now();
  const drift = (random() * 2 - 1) * profile.clockDrift;
  const clock = { now: () => Math.round(now() + (now() - bootedAt) * drift) };
  let firmwareVersion = options.firmware;
  let isFaultless = false;
  let measured = 0;
  let isOffered = false;

  const happens = (probability: number) => !isFaultless && random() < probability;

  const fetch: Fetch = async (url, init) => {
    stats.requests += 1;
    const isLost = happens(profile.lostRequest);
    if (isLost) stats.lost += 1;
    if (isLost && random() < 0.5) throw new TypeError("The request was lost.");
    const response = await options.fetch(url, init);
    if (url.includes("/ota/firmware/")) {
      const size = Number(response.headers.get("content-length") ?? 0);
      const onBytes = (bytes: number) => {
        stats.downloaded += bytes;
      };
      return watchDownload(response, onBytes, isLost ? Math.floor(random() * size) : undefined);
    }
    if (!isLost) return response;
    await response.body?.cancel();
    throw new TypeError("The response was lost.");
  };

  const powerUp = (): Device =>
    createDevice({
      baseUrl: options.baseUrl,
      basePath: options.basePath,
      fetch,
      identity: {
        deviceId,
        hardwareId: simulatedHardware,
        targetHardware: options.targetHardware,
        firmwareVersion,
        claimCode: options.claimCode,
      },
      ...flash,
      clock,
      retry: { tries: 8, baseMs: 250 },
      onEvent: (event) => {
        if (event.kind === "retrying") {
          stats.retries += 1;
          stats.registrationProblem = event.error.message;
        }
        if (event.kind === "sent") {
          stats.accepted += event.accepted;
          stats.duplicates += event.duplicates;
        }
        if (event.kind === "rejected") {
          stats.rejected += event.verdicts.length;
          stats.rejection = event.verdicts.at(-1)?.message ?? "";
        }
      },
    });
  let device = powerUp();

  const countError = (error: ClientError) => {
    if (isTransient(error)) return;
    const times = (stats.errors.get(error.code)?.times ?? 0) + 1;
    stats.errors.set(error.code, { times, message: error.message });
  };

  async function send(): Promise<boolean> {
    const flushed = await device.flush();
    if (flushed.isErr()) {
      countError(flushed.error as ClientError);
      return false;
    }
    if (flushed.value.answer?.updateAvailable) await update();
    return true;
  }

  const firmware =
    options.key &&
    createVirtualFirmware({
      apiUrl: options.baseUrl.replace(/\/+$/, "") + options.basePath,
      fetch,
      tokens: {
        current: () => device.token,
        async renew() {
          const connected = await device.connect();
          if (connected.isErr()) throw new Error(connected.error.message);
        },
      },
      key: options.key,
      targetHardware: options.targetHardware,
      factoryVersion: options.firmware,
      now: clock.now,
      random,
      chooseBehaviour() {
        if (!happens(profile.badFirmware)) return "good";
        return random() < 0.5 ? "crashes" : "fails_self_test";
      },
      stats,
      permits: options.permits,
      onStart(version) {
        firmwareVersion = version;
        device = powerUp();
      },
    });

  async function update(): Promise<void> {
    if (!isOffered && firmware === null) stats.offeredWithoutKey += 1;
    isOffered = true;
    const isCut = happens(profile.powerCut);
    await firmware?.update(isCut ? 1 + Math.floor(random() * maxOperationsUntilCut) : null);
  }

  /** Sends a record twice, like a gateway that forgot that it had sent it. */
  async function sendTwice(): Promise<void> {
    const record = { timestamp: clock.now(), repeated: true, n: measured };
    stats.repeated += 1;
    for (const expected of [1, 0]) {
      const sent = await device.call("sendTelemetry", { body: record });
      if (sent.isErr()) return countError(sent.error);
      if (sent.value.accepted > expected) stats.storedTwice += 1;
    }
  }

  return {
    deviceId,
    get firmware() {
      return firmwareVersion;
    },
    phase: random(),
    async connect() {
      const connected = await device.connect();
      if (connected.isErr()) return connected.error;
      stats.registered += 1;
      stats.registrationProblem = null;
      return null;
    },
    async tick() {
      measured += 1;
      const temperature = Math.round((20 + 8 * Math.sin(measured / 20) + random()) * 10) / 10;
      const voltage = Math.round((51 + random()) * 100) / 100;
      const stored = await device.record({ temperature, voltage, n: measured });
      if (stored.isErr()) return countError({ ...stored.error, code: "storage" });
      stats.recorded += 1;
      if (happens(profile.powerCut)) {
        stats.powerCuts += 1;
        firmware?.restart();
        device = powerUp();
      }
      if ((await send()) && happens(profile.duplicate)) await sendTwice();
    },
    async finish() {
      isFaultless = true;
      const isSent = await send();
      // Another run delivers the reports that the last run could not deliver.
      if (firmware?.unreported) await firmware.update(null);
      if (firmware?.isBad) stats.stuckOnBadFirmware += 1;
      return isSent ? 0 : Math.max(1, device.waiting);
    },
  };
}
