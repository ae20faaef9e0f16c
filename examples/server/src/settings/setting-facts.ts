import { z } from "zod";
import { Settings } from "./settings.js";

/** What the schema says of one variable, in words. */
export interface SettingFacts {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string;
  readonly type: "integer" | "boolean" | "string";
  /** What values it takes, such as `0 to 65535`. */
  readonly range: string;
  /** As it is written in the environment; undefined if there is none. */
  readonly fallback: string | undefined;
  /** When another default holds. */
  readonly unless: string | undefined;
  /** Its value is shown nowhere. */
  readonly concealed: boolean;
}

interface FieldSchema {
  readonly type: SettingFacts["type"];
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

/** The facts of every variable, in the order of the schema. */
export const settingFacts: readonly SettingFacts[] = Object.entries(
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
