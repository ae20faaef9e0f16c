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

export interface OpenData {
  readonly store: GatewayStore;
  readonly artifacts: ArtifactStore;
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
): Promise<Omit<OpenData, "secrets">> {
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
): Promise<Omit<OpenData, "secrets">> {
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

/**
 * Opens the database and the images in a folder or in Postgres, and the secrets in the folder; makes
 * what is not there yet.
 * @throws {StartError} when one of them can't be used, with what the system says of it.
 */
export async function openData(settings: DataSettings, logger: Logger): Promise<OpenData> {
  const { DATA_DIR: folder, DATABASE_URL } = settings;
  try {
    // Secrets and measurements are nobody else's; a folder that exists keeps its mode.
    await makeDurableFolder(folder);
    const opened =
      DATABASE_URL === undefined
        ? await openFiles(settings, logger)
        : await openDatabase({ ...settings, DATABASE_URL }, logger);
    try {
      return { ...opened, secrets: await openSecrets(settings, opened.store) };
    } catch (error) {
      await opened.store.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    const advice = "Repair that, or name another folder: DATA_DIR=./other-data npm start";
    throw toStartError("The data folder", error, advice);
  }
}
