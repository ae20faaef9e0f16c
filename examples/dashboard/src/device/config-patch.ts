import type { DeviceConfigAnswer } from "@device-gateway/core/contract";

export type Patch = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What makes `before` into `after`: a merge patch (RFC 7396), null for what goes. */
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

/** What the form changes of the device's own layer, or a sentence about what can't be read. */
export function toPatch(form: FormData, { config, overrides }: DeviceConfigAnswer): Patch | string {
  let own: unknown;
  try {
    own = JSON.parse(String(form.get("overrides") || "{}"));
  } catch {
    return "The settings are not valid JSON. Check quotes and commas.";
  }
  if (!isObject(own)) return "The settings must be a JSON object: begin with { and end with }.";
  const patch: Record<string, unknown> = { ...diff(overrides, own) };
  const interval = Number(form.get("telemetryIntervalSeconds"));
  if (interval !== config.telemetryIntervalSeconds) patch["telemetryIntervalSeconds"] = interval;
  const otaEnabled = form.has("otaEnabled");
  if (otaEnabled !== config.otaEnabled) patch["otaEnabled"] = otaEnabled;
  return patch;
}

/** A line for each setting that is about to be changed: what it is now, and what was wanted. */
export function describeConflicts(patch: Patch, theirs: Patch): readonly string[] {
  const text = (value: unknown) =>
    value === null || value === undefined ? "its default" : JSON.stringify(value);
  return Object.entries(patch).map(
    ([name, value]) => `${name}: now ${text(theirs[name])}, yours ${text(value)}`,
  );
}
