import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ArtifactStore,
  type GatewaySecrets,
  type GatewayStore,
  type Logger,
  silentLogger,
  type WrongSecretsError,
} from "@device-gateway/core";
import {
  createFileArtifactStore,
  loadOrCreateSecrets,
  makeDurableFolder,
} from "@device-gateway/core/node";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import type { Settings } from "../settings/settings.js";
import { StartError, toStartError } from "../start-error.js";
import { explainUnloadable } from "./explain-unloadable.js";
import { openCells, refuseOtherCount } from "./open-cells.js";
import { sqliteDriver } from "./sqlite.js";

interface OpenStore {
  readonly store: GatewayStore;
  readonly artifacts: ArtifactStore;
}

export interface OpenData extends OpenStore {
  readonly secrets: GatewaySecrets;
}

/** Returns a logger that passes only warnings on: the creation of a new database's schema need not be logged. */
const warningsOnly = (logger: Logger): Logger => ({
  ...silentLogger,
  warn: (fields, message) => logger.warn(fields, message),
});

async function openDatabase(
  settings: DataSettings & { DATABASE_URL: string },
  logger: Logger,
): Promise<OpenStore> {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = settings;
  const { DATABASE_SYNCHRONOUS_STANDBY: synchronousStandby, DATABASE_READ_URL: readUrl } = settings;
  const replica = readUrl !== undefined && {
    readUrl,
    maxReadLagMs: 1_000 * settings.DATABASE_READ_LAG_SECONDS,
  };
  const { DATABASE_CELLS: count, DATABASE_CELL_URLS: cellUrls = new Map() } = settings;
  const options = { poolSize, synchronousStandby, logger };
  try {
    if (count > 1) return await openCells({ url, count, cellUrls }, options);
    const store = await openPostgresStore({ ...options, url, ...replica });
    await refuseOtherCount(store, count).catch(async (error) => {
      await store.close();
      throw error;
    });
    return { store, artifacts: store.artifacts };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const advice = "Fix that, or correct DATABASE_URL, or unset it for SQLite.";
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
  const store = await openSqliteStore({
    file,
    driver: sqliteDriver,
    logger: existsSync(file) ? logger : warningsOnly(logger),
  });
  return { store, artifacts };
}

type DataSettings = Pick<
  Settings,
  | "DATA_DIR"
  | "FIRMWARE_DIR"
  | "DATABASE_URL"
  | "DATABASE_POOL_SIZE"
  | "DATABASE_SYNCHRONOUS_STANDBY"
  | "DATABASE_CELLS"
  | "DATABASE_CELL_URLS"
  | "DATABASE_READ_URL"
  | "DATABASE_READ_LAG_SECONDS"
>;

type PlaceSettings = Pick<Settings, "DATA_DIR" | "DATABASE_URL">;

/** Names the database, and what to do to start over without its devices. */
const describePlace = ({ DATA_DIR, DATABASE_URL }: PlaceSettings) =>
  DATABASE_URL === undefined
    ? { place: `gateway.db in ${DATA_DIR}`, restart: "delete gateway.db" }
    : { place: "The database", restart: "use an empty database" };

/** Says what to do if the secrets in the folder are not those of the database. */
export function explainWrongSecrets(settings: PlaceSettings, cause: WrongSecretsError): StartError {
  const { place, restart } = describePlace(settings);
  const file = join(settings.DATA_DIR, "secrets.json");
  return new StartError(
    `${place} was first used with other secrets than those in ${file}, so its devices could not log in. Replace ${file} (mode 0600) with the secrets.json of another server on the same database, or of the backup. To start over without the devices, ${restart}.`,
    { cause },
  );
}

/** Loads the secrets. Creates them only if the store has no devices, because existing devices need the old secrets. */
async function openSecrets(
  { DATA_DIR: folder, DATABASE_URL }: DataSettings,
  { devices }: GatewayStore,
): Promise<GatewaySecrets> {
  const file = join(folder, "secrets.json");
  // The store is read first: another server that starts at the same time creates the file before its first device.
  const [device] = await devices.list({ ownerId: null, after: "", limit: 1 });
  if (device === undefined || existsSync(file)) return loadOrCreateSecrets(file);
  const { place, restart } = describePlace({ DATA_DIR: folder, DATABASE_URL });
  throw new StartError(
    `${place} has devices, but ${file} is missing, and without it they cannot log in. Put the old secrets.json back into ${folder} with mode 0600. To start over without these devices, ${restart}.`,
  );
}

async function orStartError<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const advice = "Fix that, or use another folder: DATA_DIR=./other-data npm start";
    throw explainUnloadable(error) ?? toStartError("The data folder", error, advice);
  }
}

/**
 * Opens the database and the images, in a folder or in Postgres, without the secrets. Creates what does not exist yet.
 * @throws {StartError} if one of them cannot be used, with the system's reason.
 */
export function openStore(settings: DataSettings, logger: Logger): Promise<OpenStore> {
  const { DATA_DIR, DATABASE_URL } = settings;
  return orStartError(async () => {
    // A new folder is readable by this user only. An existing folder keeps its mode.
    await makeDurableFolder(DATA_DIR);
    return DATABASE_URL === undefined
      ? openFiles(settings, logger)
      : openDatabase({ ...settings, DATABASE_URL }, logger);
  });
}

/**
 * Opens the database, the images, and the secrets in the folder. Creates what does not exist yet.
 * @throws {StartError} if one of them cannot be used, or the database has devices but their secrets are missing.
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
