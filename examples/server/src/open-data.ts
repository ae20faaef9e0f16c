import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ArtifactStore,
  type GatewaySecrets,
  type GatewayStore,
  type Logger,
  silentLogger,
} from "@device-gateway/core";
import {
  createFileArtifactStore,
  loadOrCreateSecrets,
  makeDurableFolder,
} from "@device-gateway/core/node";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import type { Settings } from "./settings/settings.js";
import { StartError, toStartError } from "./start-error.js";

interface OpenStore {
  readonly store: GatewayStore;
  readonly artifacts: ArtifactStore;
}

export interface OpenData extends OpenStore {
  readonly secrets: GatewaySecrets;
}

/** That a new database gets its schema is no news. */
const calm = (logger: Logger): Logger => ({
  ...silentLogger,
  warn: (fields, message) => logger.warn(fields, message),
});

async function openDatabase(
  { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize }: DataSettings & { DATABASE_URL: string },
  logger: Logger,
): Promise<OpenStore> {
  try {
    const store = await openPostgresStore({ url, poolSize, logger });
    return { store, artifacts: store.artifacts };
  } catch (error) {
    const advice = "Repair that, or correct DATABASE_URL, or unset it for SQLite.";
    throw toStartError("The database", error, advice);
  }
}

async function openFiles(
  { DATA_DIR: folder, FIRMWARE_DIR }: DataSettings,
  logger: Logger,
): Promise<OpenStore> {
  const images = FIRMWARE_DIR ?? join(folder, "firmware");
  const artifacts = await createFileArtifactStore({ folder: images });
  const file = join(folder, "gateway.db");
  const store = await openSqliteStore({ file, logger: existsSync(file) ? logger : calm(logger) });
  return { store, artifacts };
}

type DataSettings = Pick<
  Settings,
  "DATA_DIR" | "FIRMWARE_DIR" | "DATABASE_URL" | "DATABASE_POOL_SIZE"
>;

/** New secrets are for a store without devices: those that it has log in with the old ones alone. */
async function openSecrets(
  { DATA_DIR: folder, DATABASE_URL }: DataSettings,
  { devices }: GatewayStore,
): Promise<GatewaySecrets> {
  const file = join(folder, "secrets.json");
  // Asked first: a server that starts at the same time makes the file before its first device.
  const [device] = await devices.list({ ownerId: null, after: "", limit: 1 });
  if (device === undefined || existsSync(file)) return loadOrCreateSecrets(file);
  const [place, restart] =
    DATABASE_URL === undefined
      ? [`gateway.db in ${folder}`, "delete gateway.db"]
      : ["The database", "name an empty database"];
  throw new StartError(
    `${place} has devices, and ${file} is missing: without it none of them can log in. Put the old secrets.json back into ${folder}, mode 0600; to start over without these devices, ${restart}.`,
  );
}

async function orStartError<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const advice = "Repair that, or name another folder: DATA_DIR=./other-data npm start";
    throw toStartError("The data folder", error, advice);
  }
}

/**
 * Opens the database and the images in a folder or in Postgres, for what needs no secrets; makes what
 * is not there yet.
 * @throws {StartError} when one of them can't be used, with what the system says of it.
 */
export function openStore(settings: DataSettings, logger: Logger): Promise<OpenStore> {
  const { DATA_DIR, DATABASE_URL } = settings;
  return orStartError(async () => {
    // Secrets and measurements are nobody else's; a folder that exists keeps its mode.
    await makeDurableFolder(DATA_DIR);
    return DATABASE_URL === undefined
      ? openFiles(settings, logger)
      : openDatabase({ ...settings, DATABASE_URL }, logger);
  });
}

/**
 * Opens the database and the images, and the secrets in the folder; makes what is not there yet.
 * @throws {StartError} when one of them can't be used, or the secrets of devices are missing.
 */
export async function openData(settings: DataSettings, logger: Logger): Promise<OpenData> {
  const opened = await openStore(settings, logger);
  try {
    const secrets = await orStartError(() => openSecrets(settings, opened.store));
    return { ...opened, secrets };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}
