import type { CommandForm } from "../site-answer.js";

export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice";

/** A field of a command's form. */
export interface PayloadField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly initial: string;
}

const kinds: Readonly<Record<string, FieldKind>> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
};

type Property = Readonly<Record<string, unknown>>;

const isProperty = (value: unknown): value is Property =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const toText = (value: unknown) => (typeof value === "string" ? value : undefined);
const toNumber = (value: unknown) => (typeof value === "number" ? value : undefined);

function toField(name: string, property: unknown, required: boolean): PayloadField | undefined {
  if (!isProperty(property)) return undefined;
  const { title, description, type, enum: values, minimum, maximum, default: initial } = property;
  const choices = Array.isArray(values) ? values.map(String) : [];
  const isChoice =
    choices.length > 0 && Array.isArray(values) && values.every((v) => typeof v === "string");
  const kind = isChoice ? "choice" : kinds[String(type)];
  if (kind === undefined) return undefined;
  return {
    ...{ name, kind, required, choices },
    label: toText(title) ?? name,
    hint: toText(description),
    min: toNumber(minimum),
    max: toNumber(maximum),
    initial: initial === undefined ? "" : String(initial),
  };
}

/**
 * Returns the fields of a JSON Schema whose properties are texts, numbers, booleans or choices of texts. Undefined for any
 * other schema: its payload is written as JSON.
 */
export function toFields({
  payload,
}: Pick<CommandForm, "payload">): readonly PayloadField[] | undefined {
  const { properties = {}, required } = payload;
  if (!isProperty(properties)) return undefined;
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, property]) =>
    toField(name, property, names.includes(name)),
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

/** Returns the payload that the fields of a form describe. An empty field is left out. */
export function readPayload(
  fields: readonly PayloadField[],
  form: FormData,
): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const { name, kind, required } of fields) {
    const text = String(form.get(name) ?? "");
    if (kind === "boolean") payload[name] = form.has(name);
    else if (text !== "")
      payload[name] = kind === "number" || kind === "integer" ? Number(text) : text;
    else if (required) payload[name] = "";
  }
  return payload;
}
