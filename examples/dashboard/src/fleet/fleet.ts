import type { DeviceSummary } from "@device-gateway/core/contract";
import { computed, signal } from "@preact/signals";
import { type CallFailure, call } from "../api/call.js";
import { serverNow } from "../api/server-clock.js";
import { account } from "../session.js";

interface Fleet {
  readonly devices: readonly DeviceSummary[];
  /** Whether all pages of the list are loaded. */
  readonly complete: boolean;
  readonly failure: CallFailure | undefined;
  /** When the list was last read as a whole, in epoch milliseconds of the server's clock. 0 if it never was. */
  readonly readAt: number;
}

const pageSize = 500;
/** The first page is small, so that it is shown early. */
const firstPageSize = 50;
/** The browser keeps no more devices. The user opens others by their address. */
export const maxDevices = 50_000;

const emptyFleet: Fleet = { devices: [], complete: false, failure: undefined, readAt: 0 };
export const fleet = signal<Fleet>(emptyFleet);
let reading: Promise<void> | undefined;
/** Counts the changes of devices and users. A read that began before one must not bring the old list back. */
let changes = 0;

export const isFirstLoad = computed(
  () => !fleet.value.complete && fleet.value.devices.length === 0 && !fleet.value.failure,
);

async function readPages(): Promise<void> {
  const began = changes;
  const devices: DeviceSummary[] = [];
  // The first load shows its first page at once. Later loads replace the list as a whole.
  const growing = fleet.value.devices.length === 0;
  let cursor: string | undefined;
  do {
    const query = { limit: growing && cursor === undefined ? firstPageSize : pageSize, cursor };
    const reply = await call("listDevices", { query });
    if (began !== changes) return;
    if (!reply.ok) {
      fleet.value = { ...fleet.value, failure: reply.failure };
      return;
    }
    devices.push(...reply.value.devices);
    cursor = reply.value.nextCursor ?? undefined;
    if (growing && fleet.value.devices.length === 0 && cursor !== undefined) {
      fleet.value = { ...emptyFleet, devices: [...devices] };
    }
  } while (cursor !== undefined && devices.length < maxDevices);
  fleet.value = { devices, complete: true, failure: undefined, readAt: serverNow() };
}

const refreshMs = 30_000;
/** Time per page of the list, so that a browser sends at most ten list requests a minute. */
const refreshMsPerPage = 6_000;

/** Returns the age in milliseconds at which the list is read again. */
export const refreshPeriodMs = () =>
  Math.max(refreshMs, (fleet.value.devices.length / pageSize) * refreshMsPerPage);

/** Reads the whole list, unless it is younger than `maxAgeMs`. */
export function readFleet(maxAgeMs = 0): Promise<void> {
  if (serverNow() - fleet.value.readAt < maxAgeMs && fleet.value.complete) return Promise.resolve();
  if (reading !== undefined) return reading;
  const own = readPages().finally(() => {
    if (reading === own) reading = undefined;
  });
  reading = own;
  return own;
}

/** Drops the list, because the user gained, lost or renamed a device, or another user signed in. */
export function clearFleet(): void {
  changes += 1;
  reading = undefined;
  fleet.value = emptyFleet;
}

/** Reads the list again, because devices have changed. Until then the list is shown as it is. */
export function invalidateFleet(): Promise<void> {
  changes += 1;
  reading = undefined;
  return readFleet();
}

// Several people may use one tab, one after another.
computed(() => account.value?.email).subscribe(clearFleet);
