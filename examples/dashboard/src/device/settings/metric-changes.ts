import type { MetricsPatch } from "@device-gateway/core/contract";

const fields = ["displayName", "unit", "decimals", "min", "max"] as const;
export type MetricField = (typeof fields)[number];
export type MetricValues = { readonly [Name in MetricField]?: string | number | undefined };

/** Returns the fields of a form that differ from what is saved. An empty field removes its value. */
export function toMetricChanges(
  form: FormData,
  own: MetricValues,
): NonNullable<MetricsPatch[string]> {
  const changes = fields.flatMap((name) => {
    const text = String(form.get(name)).trim();
    const isText = name === "displayName" || name === "unit";
    const value = text === "" ? null : isText ? text : Number(text);
    return value === (own[name] ?? null) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(changes) as NonNullable<MetricsPatch[string]>;
}
