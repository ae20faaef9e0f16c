import { createHash } from "node:crypto";
import { createFileArtifactStore } from "@device-gateway/core/node";
import type { ArtifactStore, GatewayStore } from "@device-gateway/core/store";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import type { Arrivals } from "../arrivals/arrivals.js";
import { compareStored, readStored } from "../load/compare-stored.js";
import { oldDevice } from "./old-database.js";

export interface Place {
  readonly folder: string;
  /** URL of Postgres. Empty for SQLite in the folder. */
  readonly url: string;
}

/** What the store must contain. */
export interface Expected {
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  readonly images: readonly string[];
  readonly hasOldRecords: boolean;
  /** Nothing was dropped, so charts must count every record. */
  readonly hasAllHours: boolean;
  readonly arrivals: Arrivals | undefined;
}

/** Opens a place as a server does. */
export async function openPlace({
  folder,
  url,
}: Place): Promise<{ store: GatewayStore; artifacts: ArtifactStore }> {
  if (url !== "") {
    const store = await openPostgresStore({ url, poolSize: 2 });
    return { store, artifacts: store.artifacts };
  }
  const artifacts = await createFileArtifactStore({ folder: `${folder}/firmware` });
  return { store: await openSqliteStore({ file: `${folder}/gateway.db` }), artifacts };
}

async function isWhole(artifacts: ArtifactStore, sha256: string): Promise<boolean> {
  const content = await artifacts.open({ sha256, start: 0, end: 50_000 });
  if (content === null) return false;
  const hash = createHash("sha256");
  for await (const piece of content) hash.update(piece);
  return hash.digest("hex") === sha256;
}

async function countInChart(store: GatewayStore, deviceId: string): Promise<number> {
  const buckets = await store.telemetry.aggregate({
    deviceId,
    from: 0,
    to: Date.now() * 2,
    receivedFrom: 0,
    intervalMs: 86_400_000,
    selection: { names: ["temperature"], prefixes: [], topLevel: false },
  });
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

/** Compares a store that no server uses with the expected contents. Returns what is wrong. */
export async function checkStore(place: Place, expected: Expected): Promise<string[]> {
  const found: string[] = [];
  const { store, artifacts } = await openPlace(place);
  const { acknowledged, arrivals } = expected;
  const all = new Map([...acknowledged, ...(arrivals?.acknowledged ?? [])]);
  const { lost, twice } = await compareStored(store, all);
  if (lost > 0) found.push(`${lost} acknowledged readings are lost`);
  if (twice > 0) found.push(`${twice} readings are stored twice`);
  if (expected.hasAllHours) {
    for (const deviceId of expected.acknowledged.keys()) {
      const stored = (await readStored(store, deviceId)).length;
      const charted = await countInChart(store, deviceId);
      if (charted !== stored)
        found.push(`${deviceId}: the chart counts ${charted} of ${stored} records`);
    }
  }
  if (expected.hasOldRecords) {
    const old = await readStored(store, oldDevice.deviceId);
    if (old.length !== oldDevice.records)
      found.push(`${old.length} of ${oldDevice.records} old records after a migration`);
  }
  for (const sha256 of expected.images) {
    if (!(await isWhole(artifacts, sha256)))
      found.push(`the image ${sha256.slice(0, 8)} is lost or damaged`);
  }
  found.push(...((await arrivals?.findProblems(store)) ?? []));
  await store.close();
  return found;
}
