import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { cells } from "./cells.js";

it("§4 while one of several databases is down, the devices of the others notice nothing and nothing is lost", async () => {
  const report = await cells({ seed: 1, store: "postgres" });
  expect(report.lines).toHaveLength(3);
  expect(report.violations.length, renderReport(report)).toBe(0);
});
