import { rm } from "node:fs/promises";
import { cheapScryptInProcesses } from "../../../examples/server/src/testing/cheap-scrypt-in-processes.js";
import { customerSettings } from "../../../examples/server/src/testing/customer.js";
import {
  bundleProgram,
  bundlePrograms,
  type SourceChange,
} from "../../../scripts/bundle-programs.js";
import { type Killable, spawnKillable } from "../killable.js";
import { untilReady } from "./until-ready.js";

const main = "examples/server/src/main.ts";

/** Default settings: high limits for load, and no accounts, which would slow the start. */
const defaults = {
  ...customerSettings,
  ACCOUNTS: "0",
  LOG_LEVEL: "fatal",
  DG_LIMIT_TELEMETRY_PER_MINUTE: "1000000",
  DG_LIMIT_METRICS_PER_MINUTE: "100000000",
  DG_LIMIT_TELEMETRY_BYTES_PER_MINUTE: "0",
  DG_LIMIT_UNCLAIMED_BYTES_PER_MINUTE: "0",
  DG_LIMIT_AUTH_PER_MINUTE: "1000000",
  DG_LIMIT_LOGINS_PER_MINUTE: "1000000",
  DG_LIMIT_DASHBOARD_PER_MINUTE: "1000000",
};

/** The server that users start, bundled into one program. */
export interface BundledServer {
  /** Starts the server. Resolves when `/readyz` answers 200. */
  start(
    port: number,
    environment: Readonly<Record<string, string>>,
    through?: readonly string[],
  ): Promise<Killable>;
  remove(): Promise<void>;
}

export interface BundledServerOptions {
  readonly changes?: readonly SourceChange[];
  /** The long form measures times, so it runs slow hashes at production cost. */
  readonly long: boolean;
}

/** Bundles the server. All callers without changes share one bundle. */
async function bundleMain(changes: readonly SourceChange[]) {
  if (changes.length === 0) return { path: await bundleProgram(main), remove: async () => {} };
  const within = "examples/server";
  const { folder, program } = await bundlePrograms([main], { changes, within, isWhole: true });
  return { path: program(main), remove: () => rm(folder, { recursive: true }) };
}

export async function bundleServer({
  changes = [],
  long,
}: BundledServerOptions): Promise<BundledServer> {
  const { path, remove } = await bundleMain(changes);
  return {
    async start(port, environment, through = []) {
      const server = spawnKillable(path, {
        through,
        environment: {
          ...defaults,
          ...(!long && cheapScryptInProcesses),
          ...environment,
          PORT: String(port),
        },
      });
      await untilReady(port, server);
      return server;
    },
    remove,
  };
}
