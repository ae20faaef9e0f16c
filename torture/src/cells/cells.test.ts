import { expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import type { SourceChange } from "../../../scripts/bundle-programs.js";
import { renderReport } from "../report.js";
import { cells } from "./cells.js";

it("§4 while one of several databases is down, the devices of the others notice nothing and nothing is lost", async () => {
  const report = await cells({ seed: 1, store: "postgres" });
  expect(report.lines).toHaveLength(3);
  expect(report.violations.length, renderReport(report)).toBe(0);
});

const changes: readonly SourceChange[] = [
  // Leaves out a cell that is down from lists.
  {
    file: /store-cells\/src\/fan-out\.ts$/,
    from: "const pages = await Promise.all(stores.map(read));",
    to: `const settled = await Promise.allSettled(stores.map(read));
      const pages = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));`,
  },
  // Lets the telemetry of each cell wait for all cells.
  {
    file: /store-cells\/src\/cells-telemetry\.ts$/,
    from: "append: (input) => {",
    to: `append: async (input) => {
      await Promise.all(cells.map(({ telemetry }) => telemetry.end()));`,
  },
];

it.runIf(allTests)(
  "lists that leave out a cell, and cells that wait for each other, are found",
  async () => {
    const report = await cells({ seed: 1, store: "postgres", changes });
    const found = report.violations.map(({ what }) => what).join("\n");
    expect(found, renderReport(report)).toMatch(/a list was answered with 200/);
    expect(found).toMatch(/503 although its database is up/);
  },
);
