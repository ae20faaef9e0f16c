import type { GatewayStore } from "@device-gateway/core";

/** Returns a device's stored readings in the order of arrival. */
export async function readStored(store: GatewayStore, deviceId: string): Promise<string[]> {
  const readings: string[] = [];
  let after = 0;
  for (;;) {
    const page = await store.telemetry.read({ deviceId, after, limit: 1_000 });
    for (const { value } of page) readings.push(String(value["reading"]));
    const last = page.at(-1);
    if (last === undefined) return readings;
    after = last.position;
  }
}

export interface Compared {
  readonly acknowledged: number;
  readonly lost: number;
  readonly twice: number;
}

/** Compares the acknowledged readings of each device with the stored ones. */
export async function compareStored(
  store: GatewayStore,
  acknowledged: ReadonlyMap<string, readonly string[]>,
): Promise<Compared> {
  const compared = { acknowledged: 0, lost: 0, twice: 0 };
  for (const [deviceId, readings] of acknowledged) {
    const stored = await readStored(store, deviceId);
    const once = new Set(stored);
    compared.acknowledged += readings.length;
    compared.lost += readings.filter((reading) => !once.has(reading)).length;
    compared.twice += stored.length - once.size;
  }
  return compared;
}
