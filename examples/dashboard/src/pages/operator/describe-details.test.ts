import { expect, test } from "vitest";
import { describeDetails } from "./describe-details.js";

test("an event's details show old and new values, and the first digits of a hash", () => {
  const details = {
    sha256: "0123456789abcdef".repeat(4),
    targetHardware: "esp32",
    pinnedVersion: null,
    settings: ["otaEnabled", "site"],
    changes: { status: { from: "draft", to: "active" }, hasImage: { from: false, to: true } },
  };
  expect(describeDetails(details)).toBe(
    "sha256 0123456789ab… · target hardware esp32 · pinned version none · settings otaEnabled, site · status draft → active · has image no → yes",
  );
  expect(describeDetails({})).toBe("");
});
