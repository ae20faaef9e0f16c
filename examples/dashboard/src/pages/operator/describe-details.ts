import * as auditText from "../../text/audit.js";
import { shortenHashes } from "../../ui/format.js";

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === "object" && value !== null && "from" in value && "to" in value;

const toWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function textOf(value: unknown): string {
  if (isChange(value)) return `${textOf(value.from)} → ${textOf(value.to)}`;
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "boolean") return value ? auditText.yes : auditText.no;
  if (value === null) return auditText.none;
  // The download has the whole hash.
  return shortenHashes(typeof value === "string" ? value : JSON.stringify(value));
}

/** Describes the details of an audit event in one line: `status draft → active`. */
export function describeDetails({
  changes = {},
  ...facts
}: Readonly<Record<string, unknown>>): string {
  return [...Object.entries(facts), ...Object.entries(changes as object)]
    .map(([name, value]) => `${toWords(name)} ${textOf(value)}`)
    .join(" · ");
}
