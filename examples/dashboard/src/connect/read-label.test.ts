import { expect, test } from "vitest";
import { readLabel } from "./read-label.js";

test("a claim link is a label, and any other text is not", () => {
  const label = { deviceId: "gw 1", claimCode: "ABCD-EFGH" };
  expect(readLabel("https://old.example/claim?device=gw%201&code=ABCD-EFGH")).toEqual(label);
  for (const other of ["gw-1", "https://old.example/claim?device=gw-1", "https://a.example/"]) {
    expect(readLabel(other)).toBeUndefined();
  }
});
