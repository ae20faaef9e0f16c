import type { GatewayStore } from "@device-gateway/core/store";
import type { StoreHost } from "../store/store-host.js";
import { openPlace, type StorePlace } from "../store/store-place.js";
import { cloneOnPostgres } from "./clone-on-postgres.js";
import { cloneOnSqlite } from "./clone-on-sqlite.js";
import type { CloneSet } from "./clone-set.js";

/** Identical devices: one is created through the port, and its rows are multiplied. */
export interface SeedSet {
  /** Registers the template under this id and sends its records. */
  readonly make: (store: GatewayStore, deviceId: string) => Promise<void>;
  readonly deviceIds: readonly string[];
}

/**
 * Creates a store with very many devices in minutes. Records lie as real traffic leaves them: in time order over
 * all devices, with each day's roll-ups after it. Nothing is left to roll up.
 */
export async function seedStore(
  host: StoreHost,
  name: string,
  sets: readonly SeedSet[],
  progress: (text: string) => void,
): Promise<StorePlace> {
  const templates = await host.newPlace(`${name}-templates`);
  const store = await openPlace(templates);
  progress("making the templates");
  const made = sets.map(async ({ make, deviceIds }, n) => {
    const template = `template-${n}`;
    await make(store, template);
    return { template, deviceIds };
  });
  const clones: readonly CloneSet[] = await Promise.all(made);
  progress("rolling them up");
  while ((await store.telemetry.rollUp({ before: Number.MAX_SAFE_INTEGER, limit: 500 })).more);
  await store.close();
  progress(`multiplying them by ${clones.reduce((sum, set) => sum + set.deviceIds.length, 0)}`);
  if (templates.kind === "postgres") {
    await cloneOnPostgres(templates.url, clones, progress);
    return templates;
  }
  const place = await host.newPlace(name);
  await (await openPlace(place)).close();
  if (place.kind === "sqlite") cloneOnSqlite(templates.file, place.file, clones, progress);
  return place;
}
