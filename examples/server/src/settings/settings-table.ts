import { settingDescriptions } from "./setting-descriptions.js";

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const code = (text: string | undefined) => (text === undefined ? undefined : `\`${text}\``);

/** Returns the Markdown table of every environment variable, generated from the schema. */
export function settingsTable(): string {
  const rows = settingDescriptions.map(({ name, meaning, unit, range, fallback, unless }) =>
    row([
      `\`${name}\``,
      meaning,
      unit,
      range,
      [code(fallback), unless].filter((part) => part !== undefined).join("; "),
    ]),
  );
  const head = ["Name", "Meaning", "Unit", "Range", "Default"];
  return [row(head), row(head.map(() => "---")), ...rows].join("\n");
}
