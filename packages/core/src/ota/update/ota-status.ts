import { type OtaState, stateOfWord } from "../../contract/index.js";
import { isJsonObject, type JsonObject } from "../../shared/json.js";
import { toStorableText } from "../../shared/storable-text.js";
import type { OtaEvent } from "./ota-event.js";

/** The valid fields of the `ota` section of a telemetry record. */
export interface OtaStatus {
  /** Equal for two sections with the same content, whatever the time of the check. */
  readonly fingerprint: string;
  readonly lastResult: string;
  readonly offeredVersion: string | null;
  readonly lastCheckSucceeded: boolean | null;
  readonly updateAvailable: boolean | null;
  readonly updateApplied: boolean | null;
}

/** Results that mean that nothing happened (§6). */
const idle = new Set(["", "idle", "no-update-available", "already-current"]);
const maxTextLength = 256;

const textOf = (section: JsonObject, name: string) => {
  const value = section[name];
  return typeof value === "string" ? toStorableText(value, maxTextLength) : "";
};
const flagOf = (section: JsonObject, name: string) => {
  const value = section[name];
  return typeof value === "boolean" ? value : null;
};

/** Parses a record's OTA section. Returns null if there is none, or if nothing happened. */
export function parseOtaStatus(section: unknown): OtaStatus | null {
  if (!isJsonObject(section)) return null;
  const lastResult = textOf(section, "lastResult");
  if (idle.has(lastResult)) return null;
  const reported = {
    lastResult,
    offeredVersion: textOf(section, "offeredVersion") || null,
    lastCheckSucceeded: flagOf(section, "lastCheckSucceeded"),
    updateAvailable: flagOf(section, "updateAvailable"),
    updateApplied: flagOf(section, "updateApplied"),
  };
  return { ...reported, fingerprint: JSON.stringify(Object.values(reported)) };
}

/**
 * Returns the state that an OTA section means (§6). If its result is an unknown word, its flags decide, so that a device
 * with words of its own can still report a success or a failure.
 */
export function stateOf({
  lastResult,
  updateApplied,
  lastCheckSucceeded,
}: Pick<OtaStatus, "lastResult" | "updateApplied" | "lastCheckSucceeded">): OtaState {
  const state = stateOfWord(lastResult);
  if (state !== null) return state;
  if (updateApplied === true) return "succeeded";
  return lastCheckSucceeded === false ? "failed" : "offered";
}

/** Converts a reported status to an event. */
export function toOtaEvent(
  status: OtaStatus,
  device: { readonly deviceId: string; readonly firmwareVersion: string },
  createdAt: number,
): OtaEvent {
  const { fingerprint: _, ...reported } = status;
  return {
    ...reported,
    createdAt,
    deviceId: device.deviceId,
    source: "telemetry",
    state: stateOf(status),
    fromVersion: device.firmwareVersion,
    progress: null,
    message: null,
  };
}
