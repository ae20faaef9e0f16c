import { closestName } from "./closest-name.js";
import { type SettingFacts, settingFacts } from "./setting-facts.js";
import { Settings } from "./settings.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsReading = { readonly warnings: readonly string[] } & (
  | { readonly kind: "usable"; readonly settings: Settings }
  | { readonly kind: "unusable"; readonly problems: readonly string[] }
);

const booleans: Readonly<Record<string, boolean>> = { 0: false, 1: true, false: false, true: true };

/** The value that a text stands for. What stands for nothing stays text, for the schema to refuse. */
function decode(text: string, type: SettingFacts["type"]): unknown {
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  return type === "boolean" ? (booleans[text.toLowerCase()] ?? text) : text;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function toSentence(facts: SettingFacts, text: string): string {
  const { name, type, range, unit, fallback, unless } = facts;
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const choice = range.includes(", ") ? `one of ${range}` : range;
  const must = type === "integer" ? `a whole number from ${range}` : choice;
  const measure = unit === "" ? "" : ` (${unit})`;
  return `${name} is "${shown}", but must be ${must}${measure}. Correct it, or unset it for the default: ${fallback ?? unless}.`;
}

/** Warns of variables with this server's prefix that it does not know: most are typing errors. */
function warningsOf(environment: Environment): string[] {
  const known = settingFacts.map(({ name }) => name);
  return Object.keys(environment)
    .filter((name) => name.startsWith("DG_") && !known.includes(name))
    .map((name) => {
      const close = closestName(name, known);
      return `${name} is not a setting and has no effect.${close ? ` Did you mean ${close}?` : ""}`;
    });
}

/** Reads the settings from the environment; an empty variable counts as absent. */
export function readSettings(environment: Environment): SettingsReading {
  const input = Object.fromEntries(
    settingFacts.flatMap(({ name, type }) => {
      const text = environment[name];
      return isPresent(text) ? [[name, decode(text.trim(), type)]] : [];
    }),
  );
  const warnings = warningsOf(environment);
  const parsed = Settings.safeParse(input);
  if (parsed.success) return { kind: "usable", settings: parsed.data, warnings };
  const bad = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const problems = settingFacts
    .filter(({ name }) => bad.has(name))
    .map((facts) => toSentence(facts, environment[facts.name] ?? ""));
  return { kind: "unusable", problems, warnings };
}
