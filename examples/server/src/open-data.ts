import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArtifactStore,
  type GatewaySecrets,
  type GatewayStore,
  type Logger,
  silentLogger,
} from "@device-gateway/core";
import { createFileArtifactStore, loadOrCreateSecrets } from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import type { Settings } from "./settings/settings.js";
import { StartError } from "./start-error.js";

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

/**
 * Opens the database, the secrets and the images in a folder, and makes what is not there yet.
 * @throws {StartError} when the folder can't be used, with what the system says of it.
 */
export async function openData(
  { DATA_DIR: folder, FIRMWARE_DIR }: Pick<Settings, "DATA_DIR" | "FIRMWARE_DIR">,
  logger: Logger,
): Promise<OpenData> {
  try {
    // Secrets and measurements are nobody else's; a folder that exists keeps its mode.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const secrets = await loadOrCreateSecrets(join(folder, "secrets.json"));
    const images = FIRMWARE_DIR ?? join(folder, "firmware");
    const artifacts = await createFileArtifactStore({ folder: images });
    const file = join(folder, "gateway.db");
    const store = await openSqliteStore({ file, logger: existsSync(file) ? logger : calm(logger) });
    return { store, secrets, artifacts };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The data folder can't be used: ${reason}. Repair that, or name another folder: DATA_DIR=./other-data npm start`,
      { cause: error },
    );
  }
}
