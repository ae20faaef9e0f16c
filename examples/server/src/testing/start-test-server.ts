import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { onTestFinished } from "vitest";
import { type RunningServer, startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { writeMigratedDatabases } from "./migrated-databases.js";

/** Creates a folder that is deleted after the test. */
export async function makeTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a server's data folder, with migrated databases unless it uses Postgres. It is deleted after the test. */
export async function makeDataFolder(settings: { DATABASE_URL?: unknown }): Promise<string> {
  const folder = await makeTempFolder();
  if (settings.DATABASE_URL === undefined) await writeMigratedDatabases(folder);
  return folder;
}

export interface TestServer extends RunningServer {
  readonly settings: Settings;
}

/** Starts the bundled server on a free port. Without DATA_DIR, it gets a temporary folder with migrated databases. */
export async function startTestServer(overrides: Partial<Settings> = {}): Promise<TestServer> {
  const DATA_DIR = overrides.DATA_DIR ?? (await makeDataFolder(overrides));
  const settings = Settings.parse({ PORT: 0, ...overrides, DATA_DIR });
  const server = await startServer(settings, { logger: silentLogger });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...server, settings, stop };
}
