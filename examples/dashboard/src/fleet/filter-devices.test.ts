import type { DeviceSummary } from "@device-gateway/core/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countByFilter, filterDevices, searchDevices, sortDevices } from "./filter-devices.js";

const device = (id: string, change: Partial<DeviceSummary> = {}): DeviceSummary => ({
  id,
  name: id,
  status: "online",
  isOwner: true,
  targetHardware: "esp32",
  otaChannel: "stable",
  firmwareVersion: "1.0.0",
  latestFirmwareVersion: null,
  latestFirmwareReleasedAt: null,
  updateAvailable: false,
  lastSeen: null,
  claimedAt: null,
  expectedIntervalSeconds: 60,
  secondsSinceLastTelemetry: null,
  secondsUntilNextExpectedCheckIn: null,
  ...change,
});
const ids = (devices: readonly DeviceSummary[]) => devices.map(({ id }) => id);

test("a search finds words in any order in name, id, hardware and firmware", () => {
  const devices = [
    device("gw-1", { name: "Pump North" }),
    device("gw-2", { firmwareVersion: "2.1.0" }),
  ];
  expect(ids(searchDevices(devices, "north PUMP"))).toEqual(["gw-1"]);
  expect(ids(searchDevices(devices, "esp32 2.1"))).toEqual(["gw-2"]);
  expect(ids(searchDevices(devices, "  "))).toEqual(["gw-1", "gw-2"]);
  expect(searchDevices(devices, "pump 2.1")).toEqual([]);
});

test("names sort by their numeric parts; sorting by last seen puts the latest first", () => {
  const at = (lastSeen: string) => ({ lastSeen });
  const devices = [
    device("gw-10", at("2026-01-02T00:00:00.000Z")),
    device("gw-9", at("2026-01-03T00:00:00.000Z")),
    device("gw-1"),
  ];
  expect(ids(sortDevices(devices, "name"))).toEqual(["gw-1", "gw-9", "gw-10"]);
  expect(ids(sortDevices(devices, "seen"))).toEqual(["gw-9", "gw-10", "gw-1"]);
});

test("a filter's count equals the devices that it shows; online, offline and revoked add up to all", () => {
  const some = fc.record({
    status: fc.constantFrom("online" as const, "offline" as const),
    updateAvailable: fc.boolean(),
    revokedAt: fc.constantFrom(undefined, "2026-01-02T00:00:00.000Z"),
  });
  fc.assert(
    fc.property(fc.array(some), (changes) => {
      const devices = changes.map((change, i) => device(`gw-${i}`, change));
      const counts = countByFilter(devices);
      for (const filter of ["all", "online", "offline", "revoked", "update"] as const) {
        expect(filterDevices(devices, filter)).toHaveLength(counts[filter]);
      }
      expect(counts.online + counts.offline + counts.revoked).toBe(counts.all);
    }),
  );
});
