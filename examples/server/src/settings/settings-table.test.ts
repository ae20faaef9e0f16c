import { expect, it } from "vitest";
import { Settings } from "./settings.js";
import { settingsTable } from "./settings-table.js";

it("the table has a row for every setting, with a meaning, a range and a default", () => {
  const [, , ...rows] = settingsTable().split("\n");
  const cells = rows.map((row) => row.slice(2, -2).split(" | "));
  expect(cells.map(([name]) => name)).toEqual(
    Object.keys(Settings.shape).map((name) => `\`${name}\``),
  );
  for (const row of cells) {
    expect(row).toHaveLength(5);
    const [, meaning, , range, fallback] = row;
    expect([meaning, range, fallback]).not.toContain("");
  }
});

it("the table shows unit, range and default from the schema", () => {
  expect(settingsTable()).toContain(
    "| `DG_TOKEN_TTL_SECONDS` | Lifetime of a device token. | seconds | 300 to 604800 | `86400` |",
  );
  expect(settingsTable()).toContain("| 0 or 1 | `0`; 1 under `npm start` |");
});
