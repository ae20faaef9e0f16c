import { expect, test } from "vitest";
import { findOtherVersions, findProblems } from "./find-problems.js";
import { createFleetStats } from "./fleet-stats.js";

const fine = { ...createFleetStats(), recorded: 10, accepted: 9, duplicates: 1 };

test("a fleet whose readings all arrived has no problems", () => {
  expect(findProblems(fine)).toEqual([]);
  expect(findOtherVersions([{ firmware: "1.1.0" }], "1.1.0")).toEqual([]);
  expect(findOtherVersions([{ firmware: "1.1.0" }], null)).toEqual([]);
});

test.each([
  [
    { accepted: 8 },
    "The gateways recorded 10 readings, but 9 arrived. Look for errors in the log of the server.",
  ],
  [
    { accepted: 0, waiting: 1 },
    "1 reading never reached the server. Check that the server is running.",
  ],
  [
    { rejected: 1, rejection: "The timestamp is in the future." },
    "The server rejected 1 reading. The timestamp is in the future.",
  ],
  [
    { storedTwice: 2 },
    "The server stored 2 readings twice. Look for errors in the log of the server.",
  ],
  [
    { stuckOnBadFirmware: 1 },
    "1 gateway stayed on bad firmware. Pass a longer --duration, so that a roll-back can end.",
  ],
  [
    { refusedFirmware: new Map([["invalid_signature", 5] as const]) },
    "5 gateways refused the firmware: its signature is invalid (invalid_signature). Pass the public key of its signer as --key.",
  ],
  [
    { refusedFirmware: new Map([["unknown_key", 5] as const]) },
    "5 gateways refused the firmware: it is signed with a key that the device does not have (unknown_key). Pass the public key of its signer as --key. Name the file after the id of the key: KEY-ID.public.pem.",
  ],
  [
    { refusedFirmware: new Map([["too_large", 1] as const]) },
    "1 gateway refused the firmware: it does not fit into the device's flash memory (too_large). Publish an image that the gateways can install.",
  ],
  [
    { failedUpdates: new Map([["The image is damaged (hash_mismatch)", 1]]) },
    "1 update failed: The image is damaged (hash_mismatch). To see why: device-gateway firmware explain RELEASE DEVICE",
  ],
  [
    { errors: new Map([["forbidden", { times: 1_200, message: "Use another token." }]]) },
    "The error forbidden occurred 1,200 times: Use another token.",
  ],
])("a problem is a sentence that says what to do: %j", (changes, sentence) => {
  expect(findProblems({ ...fine, ...changes })).toEqual([sentence]);
});

test("gateways with another version are a problem", () => {
  const fleet = ["1.1.0", "1.0.0", "1.0.0"].map((firmware) => ({ firmware }));
  expect(findOtherVersions(fleet, "1.1.0")).toEqual([
    "1 of 3 gateways run 1.1.0. The others run 1.0.0. To see why: device-gateway firmware explain RELEASE DEVICE",
  ]);
});
