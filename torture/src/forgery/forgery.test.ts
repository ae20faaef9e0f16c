import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { forgery } from "./forgery.js";

it("forged tokens and tokens of earlier epochs get 401, on sqlite", async () => {
  const report = await forgery({ seed: 1, store: "sqlite" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
