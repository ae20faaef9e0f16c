import { findCellProblems } from "./cell-variables.js";
import { closestName } from "./closest-name.js";
import { findCustomerProblems } from "./customer-variables.js";
import { findIneffectiveSettings, findSettingsOfDisabledParts } from "./ineffective-settings.js";
import { type SettingDescription, settingDescriptions } from "./setting-descriptions.js";
import { Settings } from "./settings.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsReading = { readonly warnings: readonly string[] } & (
  | { readonly kind: "usable"; readonly settings: Settings }
  | { readonly kind: "unusable"; readonly problems: readonly string[] }
);

const booleans: Readonly<Record<string, boolean>> = { 0: false, 1: true, false: false, true: true };

/** Decodes a value. A text that cannot be decoded stays a text, so that the schema rejects it. */
function decode(raw: string, { type, concealed }: SettingDescription): unknown {
  // Spaces may be part of a secret, so they are not removed.
  const text = concealed ? raw : raw.trim();
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  return type === "boolean" ? (booleans[text.toLowerCase()] ?? text) : text;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function toSentence(setting: SettingDescription, text: string, reason: string): string {
  const { name, type, range, unit, fallback, unless, concealed } = setting;
  if (concealed) return `${name} ${reason}`;
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const choice = range.includes(", ") ? `one of ${range}` : range;
  const must = type === "integer" ? `a whole number from ${range}` : choice;
  const measure = unit === "" ? "" : ` (${unit})`;
  return `${name} is "${shown}", but must be ${must}${measure}. Correct it or unset it for the default: ${fallback ?? unless}.`;
}

/** Returns a warning for each unknown variable with this server's prefix. Most are typing errors. */
function warningsOf(environment: Environment): string[] {
  const known = settingDescriptions.map(({ name }) => name);
  return Object.keys(environment)
    .filter((name) => name.startsWith("DG_") && !known.includes(name))
    .map((name) => {
      const close = closestName(name, known);
      return `${name} is not a setting and has no effect.${close ? ` Did you mean ${close}?` : ""}`;
    });
}

/** Reads the settings from the environment. An empty variable counts as absent. */
export function readSettings(environment: Environment): SettingsReading {
  const input = Object.fromEntries(
    settingDescriptions.flatMap((setting) => {
      const text = environment[setting.name];
      return isPresent(text) ? [[setting.name, decode(text, setting)]] : [];
    }),
  );
  const warnings = [...warningsOf(environment), ...findSettingsOfDisabledParts(input)];
  const conflicts = [
    ...findCustomerProblems((name) => isPresent(environment[name])),
    ...findIneffectiveSettings(input),
  ];
  const parsed = Settings.safeParse(input);
  if (parsed.success) conflicts.push(...findCellProblems(parsed.data));
  if (parsed.success && conflicts.length === 0) {
    return { kind: "usable", settings: parsed.data, warnings };
  }
  const reasons = new Map(parsed.error?.issues.map(({ path, message }) => [path[0], message]));
  const problems = settingDescriptions.flatMap((setting) => {
    const reason = reasons.get(setting.name);
    return reason === undefined
      ? []
      : [toSentence(setting, environment[setting.name] ?? "", reason)];
  });
  return { kind: "unusable", problems: [...problems, ...conflicts], warnings };
}
