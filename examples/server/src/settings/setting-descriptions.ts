import { z } from "zod";
import { Settings } from "./settings.js";

/** The description of one variable, taken from the schema. */
export interface SettingDescription {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string;
  readonly type: "integer" | "boolean" | "string";
  /** The valid values, such as `0 to 65535`. */
  readonly range: string;
  /** The default as it is written in the environment. Undefined if there is none. */
  readonly fallback: string | undefined;
  /** Text about the default: when it differs, or what holds without one. */
  readonly unless: string | undefined;
  /** Whether the value must never be shown. */
  readonly concealed: boolean;
}

interface FieldSchema {
  readonly type: SettingDescription["type"];
  readonly description?: string;
  readonly unit?: string;
  readonly form?: string;
  readonly unless?: string;
  readonly concealed?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
}

function rangeOf({ type, form, minimum, maximum, enum: values }: FieldSchema): string {
  if (form !== undefined) return form;
  if (values !== undefined) return values.join(", ");
  return type === "boolean" ? "0 or 1" : `${minimum} to ${maximum}`;
}

function fallbackOf(field: FieldSchema): string | undefined {
  const { default: fallback } = field;
  if (fallback === undefined) return undefined;
  return typeof fallback === "boolean" ? (fallback ? "1" : "0") : String(fallback);
}

/** The description of every variable, in the order of the schema. */
export const settingDescriptions: readonly SettingDescription[] = Object.entries(
  z.toJSONSchema(Settings, { io: "input" }).properties ?? {},
).map(([name, schema]) => {
  const field = schema as FieldSchema;
  const { type, description = "", unit = "", unless, concealed = false } = field;
  return {
    name,
    meaning: description,
    unit,
    type,
    range: rangeOf(field),
    fallback: fallbackOf(field),
    unless,
    concealed,
  };
});
