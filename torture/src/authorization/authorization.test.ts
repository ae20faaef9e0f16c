import { expect, it } from "vitest";
import { renderReport } from "../report.js";
import { authorization } from "./authorization.js";

// planted-bugs.test.ts runs it on memory, with a planted leak.
it("every caller gets from every route only what the route table allows, on sqlite", async () => {
  const report = await authorization({ seed: 1, store: "sqlite" });
  expect(report.violations.length, renderReport(report)).toBe(0);
});
