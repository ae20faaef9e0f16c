import type { GatewayStore } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import {
  registerSampleDevice,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { cellOf } from "../cell-of.js";
import { createCellsStore } from "../create-cells-store.js";
import { type BreakableStore, toBreakable } from "./breakable-store.js";

const count = 3;
type ReportedState = "offered" | "downloading" | "failed";

/** Returns a device of each cell. */
export function findDevices() {
  return Array.from({ length: count }, (_, cell) => {
    for (let n = 0; ; n++) if (cellOf(`gw-${n}`, count) === cell) return `gw-${n}`;
  }) as [string, string, string];
}

/** The release that `createRelease` creates. */
export const active = sampleRelease({ status: "active", hasImage: true, activatedAt: sampleTime });

/** Returns a device's report of its update to the active release. */
export const sampleReport = (deviceId: string, state: ReportedState) => ({
  ...{ createdAt: sampleTime, deviceId, source: "server" as const, state },
  ...{ offeredVersion: active.version, fromVersion: "0.1.10", lastResult: state },
  ...{ lastCheckSucceeded: null, updateAvailable: null, updateApplied: null },
  ...{ progress: null, message: null },
});

/** Opens a store over a home and three cells. A test can make each of them unavailable. */
export function openBreakableCells() {
  const home = toBreakable(createMemoryStore());
  const cells = Array.from({ length: count }, () => toBreakable(createMemoryStore()));
  const store: GatewayStore = createCellsStore({
    home: home.store,
    cells: cells.map((cell) => cell.store),
  });

  const sendReport = (deviceId: string, state: ReportedState) =>
    store.updates.report({
      report: {
        event: sampleReport(deviceId, state),
        ...{ releaseId: null, servesImage: false, fingerprint: null },
      },
      rules: sampleUpdateRules,
    });

  /** Registers devices of all cells, whose update fails. */
  async function failUpdates(devices: number, prefix: string): Promise<void> {
    for (let n = 0; n < devices; n++) {
      const deviceId = `${prefix}-${n}`;
      await registerSampleDevice(store, deviceId);
      await sendReport(deviceId, "offered");
      await sendReport(deviceId, "failed");
    }
  }

  const { toleratedShare } = sampleUpdateRules;
  const event = sampleSecurityEvent("", "release.created");
  return {
    ...{ home, cells, store, sendReport, failUpdates },
    /** Returns the cell of a device. */
    cellNumber: (deviceId: string) => cells[cellOf(deviceId, count)] as BreakableStore,
    createRelease: () => store.releases.create({ release: active, event }),
    settle: () => store.settle?.({ toleratedShare, now: sampleTime + 9 }),
  };
}
