import { describe, expect, it } from "vitest";
import { runLayoutBench } from "./layout-bench.js";

describe("pnpm bench layouts --quick", () => {
  // Each part checks as it goes: nothing lost, no duplicate stored, all layouts' charts alike.
  it("measures every part", () => {
    const sections = runLayoutBench({ quick: true });
    expect(sections.length).toBeGreaterThanOrEqual(8);
    for (const { lines } of sections) {
      for (const { values } of lines) {
        for (const value of [...values.values()].flat()) expect(value).toBeGreaterThanOrEqual(0);
      }
    }
  });
});
