import type { OtaState } from "../../contract/index.js";
import { isJsonObject, type JsonObject } from "../../shared/json.js";
import { toStorableText } from "../../shared/storable-text.js";
import type { OtaEvent } from "./ota-event.js";

/** The `ota` section of a telemetry record, as far as it makes sense. */
export interface OtaStatus {
  /** Equal for two sections that say the same, whenever they were checked. */
  readonly fingerprint: string;
  readonly lastResult: string;
  readonly offeredVersion: string | null;
  readonly lastCheckSucceeded: boolean | null;
  readonly updateAvailable: boolean | null;
  readonly updateApplied: boolean | null;
}

/** Results that say that nothing happened (contract §6). */
const idle = new Set(["", "idle", "no-update-available", "already-current"]);
const longestText = 256;

const textOf = (section: JsonObject, name: string) => {
  const value = section[name];
  return typeof value === "string" ? toStorableText(value, longestText) : "";
};
const flagOf = (section: JsonObject, name: string) => {
  const value = section[name];
  return typeof value === "boolean" ? value : null;
};

/** Reads a record's OTA section; null without one, and when it says that nothing happened. */
export function parseOtaStatus(section: unknown): OtaStatus | null {
  if (!isJsonObject(section)) return null;
  const lastResult = textOf(section, "lastResult");
  if (idle.has(lastResult)) return null;
  const said = {
    lastResult,
    offeredVersion: textOf(section, "offeredVersion") || null,
    lastCheckSucceeded: flagOf(section, "lastCheckSucceeded"),
    updateAvailable: flagOf(section, "updateAvailable"),
    updateApplied: flagOf(section, "updateApplied"),
  };
  return { ...said, fingerprint: JSON.stringify(Object.values(said)) };
}

/** What the device's own words mean for the update. Words that we don't know mean an offer. */
export function stateOf({
  lastResult,
  updateApplied,
}: Pick<OtaStatus, "lastResult" | "updateApplied">): OtaState {
  if (updateApplied === true) return "succeeded";
  if (/rolled?.?back/i.test(lastResult)) return "rolled_back";
  if (/reject|downgrade|incompatible/i.test(lastResult)) return "rejected";
  if (/fail|error|invalid|mismatch|timeout/i.test(lastResult)) return "failed";
  if (/reboot|restart/i.test(lastResult)) return "rebooting";
  if (/install|apply|flash/i.test(lastResult)) return "installing";
  if (/verified/i.test(lastResult)) return "verified";
  if (/downloaded/i.test(lastResult)) return "downloaded";
  if (/download/i.test(lastResult)) return "downloading";
  return "offered";
}

/** Makes an event of what a device said. */
export function toOtaEvent(
  status: OtaStatus,
  device: { readonly deviceId: string; readonly firmwareVersion: string },
  createdAt: number,
): OtaEvent {
  const { fingerprint: _, ...said } = status;
  return {
    ...said,
    createdAt,
    deviceId: device.deviceId,
    source: "telemetry",
    state: stateOf(status),
    fromVersion: device.firmwareVersion,
    progress: null,
    message: null,
  };
}
