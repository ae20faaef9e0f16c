import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cheapScryptInProcesses } from "../../../examples/server/src/testing/cheap-scrypt-in-processes.js";
import { customerSettings } from "../../../examples/server/src/testing/customer.js";
import {
  bundleProgram,
  bundlePrograms,
  type SourceChange,
} from "../../../scripts/bundle-programs.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type Killable, spawnKillable } from "../killable.js";
import { untilReady } from "../load/until-ready.js";
import { createStorage, type StorageKind } from "../storage.js";
import { writeReleaseKeys } from "./plant-release.js";
import { readStorageUse, type StorageUse } from "./storage-use.js";

const program = "torture/src/neighbours/server-process.ts";
/** The bundled server's dependencies are installed there. */
const within = "examples/server";

/** The bundled server with accounts and default limits, as a process whose memory and disk are measured. */
export interface MeasuredServer {
  readonly url: string;
  readonly port: number;
  /** Whether the server runs. An attack may end it. */
  isRunning(): boolean;
  start(): Promise<void>;
  /** Kills the server if it runs, and starts it again. */
  restart(): Promise<void>;
  /** Resets the peak RSS. */
  forgetPeak(): void;
  /** Peak RSS in MiB since `forgetPeak`. NaN if the system does not report it. */
  peakRssMiB(): number;
  /** Heap size in MiB after a garbage collection. */
  heapMiB(): Promise<number>;
  storageUse(): Promise<StorageUse>;
  remove(): Promise<void>;
}

export interface MeasuredServerOptions {
  readonly store: StorageKind;
  readonly changes: readonly SourceChange[];
  /** The long form measures times and memory, so it runs slow hashes at production cost. */
  readonly long: boolean;
}

/** Bundles the server. All callers without changes share one bundle. */
async function bundleServer(changes: readonly SourceChange[]) {
  if (changes.length === 0) {
    const path = await bundleProgram(program, { variant: "measured", within, isWhole: true });
    return { path, remove: () => {} };
  }
  const bundled = await bundlePrograms([program], { changes, within, isWhole: true });
  const remove = () => rmSync(bundled.folder, { recursive: true, force: true });
  return { path: bundled.program(program), remove };
}

export async function createMeasuredServer(
  options: MeasuredServerOptions,
): Promise<MeasuredServer> {
  const { store, changes, long } = options;
  const folder = mkdtempSync(join(tmpdir(), "torture-neighbours-"));
  writeReleaseKeys(folder);
  const storage = store === "postgres" ? await createStorage(store) : undefined;
  const url = storage?.place ?? null;
  const bundled = await bundleServer(changes);
  const port = await findFreePort();
  let server: Killable | undefined;
  let running = false;
  async function start(): Promise<void> {
    const started = spawnKillable(bundled.path, {
      environment: {
        ...customerSettings,
        ...(!long && cheapScryptInProcesses),
        DATA_DIR: folder,
        PORT: String(port),
        TRUSTED_PROXIES: "1",
        LOG_LEVEL: "fatal",
        ...(url !== null && { DATABASE_URL: url }),
      },
    });
    running = true;
    void started.ended.then(() => {
      if (server === started) running = false;
    });
    await untilReady(port, started);
    server = started;
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    isRunning: () => running,
    start,
    async restart() {
      await server?.kill();
      await start();
    },
    forgetPeak() {
      try {
        writeFileSync(`/proc/${server?.pid}/clear_refs`, "5");
      } catch {
        // Then the peak is that of the whole run, which the same bound limits.
      }
    },
    peakRssMiB() {
      try {
        const text = readFileSync(`/proc/${server?.pid}/status`, "utf8");
        return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1]) / 1_024;
      } catch {
        return Number.NaN;
      }
    },
    async heapMiB() {
      if (server === undefined || !running) return Number.NaN;
      const { said, pid } = server;
      const from = said.length;
      process.kill(pid, "SIGUSR2");
      for (;;) {
        const line = said.slice(from).find((one) => one.startsWith("heap "));
        if (line !== undefined) return Number(line.slice(5)) / 1_048_576;
        if (!running) return Number.NaN;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    storageUse: () => readStorageUse({ folder, url }),
    async remove() {
      await server?.kill();
      await storage?.remove();
      rmSync(folder, { recursive: true, force: true });
      bundled.remove();
    },
  };
}
