import type { DeviceSummary } from "@device-gateway/core/contract";
import { computed, signal } from "@preact/signals";
import { type CallFailure, call } from "../api/call.js";

interface Fleet {
  readonly devices: readonly DeviceSummary[];
  /** Whether all pages of the list are here. */
  readonly complete: boolean;
  readonly failure: CallFailure | undefined;
}

const pageSize = 500;
/** What is first seen comes by itself, and soon. */
const firstPageSize = 50;
/** More than that is not kept in a browser: whoever has more names the device. */
export const maxDevices = 50_000;

const emptyFleet: Fleet = { devices: [], complete: false, failure: undefined };
export const fleet = signal<Fleet>(emptyFleet);
/** When the list was last read as a whole, in epoch milliseconds. */
let readAt = 0;
let reading: Promise<void> | undefined;

export const isFirstLoad = computed(
  () => !fleet.value.complete && fleet.value.devices.length === 0 && !fleet.value.failure,
);

async function readPages(): Promise<void> {
  const devices: DeviceSummary[] = [];
  // At the first time the first page is shown at once; else the list is replaced as a whole.
  const growing = fleet.value.devices.length === 0;
  let cursor: string | undefined;
  do {
    const query = { limit: growing && cursor === undefined ? firstPageSize : pageSize, cursor };
    const reply = await call("listDevices", { query });
    if (!reply.ok) {
      fleet.value = { ...fleet.value, failure: reply.failure };
      return;
    }
    devices.push(...reply.value.devices);
    cursor = reply.value.nextCursor ?? undefined;
    if (growing && fleet.value.devices.length === 0 && cursor !== undefined) {
      fleet.value = { devices: [...devices], complete: false, failure: undefined };
    }
  } while (cursor !== undefined && devices.length < maxDevices);
  fleet.value = { devices, complete: true, failure: undefined };
  readAt = Date.now();
}

const refreshMs = 30_000;
/** A long list is read anew less often, so that a page costs the server ten requests a minute at most. */
const refreshMsPerPage = 6_000;

/** How old the list may get. */
export const refreshPeriodMs = () =>
  Math.max(refreshMs, (fleet.value.devices.length / pageSize) * refreshMsPerPage);

/** Reads the whole list, unless it is younger than `maxAgeMs`. */
export function readFleet(maxAgeMs = 0): Promise<void> {
  if (Date.now() - readAt < maxAgeMs && fleet.value.complete) return Promise.resolve();
  reading ??= readPages().finally(() => {
    reading = undefined;
  });
  return reading;
}

/** Somebody else is signed in, or a device has come or gone. */
export function clearFleet(): void {
  fleet.value = emptyFleet;
  readAt = 0;
}
