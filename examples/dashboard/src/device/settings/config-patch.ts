import type { DeviceConfigAnswer } from "@device-gateway/core/contract";
import * as deviceSettingsText from "../../text/device-settings.js";
import { nameOfSetting } from "../../text/setting-names.js";

export type Patch = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the merge patch (RFC 7396) that turns `before` into `after`. Null removes a setting. */
export function diff(before: Patch, after: Patch): Patch {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (isObject(old) && isObject(value)) {
      const inner = diff(old, value);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch[name] = value;
  }
  return patch;
}

/** Returns the form's changes to the device's configuration layer, or a sentence about invalid JSON. */
export function toPatch(form: FormData, { config, overrides }: DeviceConfigAnswer): Patch | string {
  let own: unknown;
  try {
    own = JSON.parse(String(form.get("overrides") || "{}"));
  } catch {
    return deviceSettingsText.invalidJson;
  }
  if (!isObject(own)) return deviceSettingsText.notAnObject;
  const patch: Record<string, unknown> = { ...diff(overrides, own) };
  const interval = Number(form.get("telemetryIntervalSeconds"));
  if (interval !== config.telemetryIntervalSeconds) patch["telemetryIntervalSeconds"] = interval;
  const otaEnabled = form.has("otaEnabled");
  if (otaEnabled !== config.otaEnabled) patch["otaEnabled"] = otaEnabled;
  return patch;
}

/** Returns a line for each setting in the patch: its saved value and the user's value. */
export function describeConflicts(patch: Patch, theirs: Patch): readonly string[] {
  const text = (value: unknown) =>
    value === null || value === undefined ? deviceSettingsText.defaultValue : JSON.stringify(value);
  return Object.entries(patch).map(([name, value]) =>
    deviceSettingsText.conflictOf(nameOfSetting(name), text(theirs[name]), text(value)),
  );
}
