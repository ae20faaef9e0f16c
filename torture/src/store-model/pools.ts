import type { DeviceProfile, SecurityEvent, SecurityEventKind } from "@device-gateway/core/store";
import { sampleEvent } from "@device-gateway/testing";
import fc from "fast-check";
import {
  awkwardJson,
  awkwardText,
} from "../../../packages/testing/src/conformance/samples/awkward-values.js";
import type { Side } from "./recipe.js";

/*
 * Small sets of values, so that different calls use the same devices, owners, versions and keys.
 */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

export const deviceIds = fc.constantFrom(
  "gw-1",
  "gw-2",
  "gw-10",
  "GW-1",
  "__proto__",
  "x".repeat(128),
);
export const someDevices = ["gw-1", "gw-2", "gw-10", "GW-1", "__proto__", "x".repeat(128)] as const;
export const owners = fc.constantFrom("owner-a", "owner-b", "", awkwardText);
export const ownerOrOperator = fc.option(owners, { freq: 2 });
export const claimCodeHashes = fc.constantFrom("hash-1", "hash-2", null);
/** Free text of devices and operators. The contract ensures that every store can hold it. */
export const freeText = fc.constantFrom("", "plain", awkwardText, "two\nlines");
export const json = fc.constantFrom({}, { a: 1 }, { a: { b: [1, "2", null] } }, awkwardJson);
export const versions = fc.constantFrom("1.0.0", "1.0.1", "1.10.0", "2.0.0");
export const someHardware = ["gw-2", "other", "漢".repeat(40)] as const;
export const hardware = fc.constantFrom(...someHardware);
export const channels = fc.constantFrom("stable", "beta");
export const part = fc.double({ min: 0, max: 1, noNaN: true });
/** Offset of a revision: mostly 0, sometimes -1, as after another writer's change. */
export const staleness = fc.constantFrom(0, 0, 0, 0, -1);
export const limits = fc.constantFrom(1, 2, 3, 50, 500);

export const profiles: fc.Arbitrary<DeviceProfile> = fc.record({
  hardwareId: fc.constantFrom("esp32:gw-2", awkwardText),
  firmwareVersion: versions,
  targetHardware: hardware,
  hardwarePlatform: fc.constantFrom(null, "", "esp32"),
  hardwareModel: fc.constantFrom(null, "m"),
  boardProfile: fc.constantFrom(null, "rev-c"),
  fingerprintHash: fc.constantFrom(null, "finger"),
  capabilities: fc.constantFrom({}, { ble: true, externalDownload: false }),
});

/** Returns the item at a relative place in a list, from 0 to 1. */
export const at = <Item>(items: readonly Item[], part: number): Item | undefined =>
  items[Math.min(items.length - 1, Math.floor(part * items.length))];

/** Creates a security event at the current time. */
export const eventOf = (
  { now }: Side,
  deviceId: string,
  kind: SecurityEventKind,
  details: SecurityEvent["details"] = {},
): SecurityEvent => ({ ...sampleEvent(deviceId, details), kind, at: now });
