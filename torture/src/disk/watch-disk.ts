import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compilers = ["cc", "gcc", "clang"];

/** The preloaded library (disk.c), as environment variables for a process. */
export interface DiskWatch {
  /** Logs all operations of the process in the folder. */
  record(folder: string, log: string): Readonly<Record<string, string>>;
  /** Kills the process by SIGKILL instead of the n-th operation of this kind on this file. */
  killAt(
    folder: string,
    operation: { readonly kind: string; readonly file: string; readonly nth: number },
  ): Readonly<Record<string, string>>;
  remove(): void;
}

/** Returns why this machine cannot intercept disk operations. Undefined if it can. */
export function findWatchProblem(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  const compiler = compilers.find((name) => spawnSync(name, ["--version"]).status === 0);
  return compiler === undefined ? "it needs a C compiler (cc)" : undefined;
}

export function buildDiskWatch(): DiskWatch {
  const why = findWatchProblem();
  if (why !== undefined) throw new Error(`Disk operations cannot be intercepted: ${why}.`);
  const folder = mkdtempSync(join(tmpdir(), "torture-disk-"));
  const library = join(folder, "disk.so");
  const source = fileURLToPath(new URL("./disk.c", import.meta.url));
  const compiler = compilers.find((name) => spawnSync(name, ["--version"]).status === 0) ?? "cc";
  execFileSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]);
  // The library cannot intercept operations that libuv passes to io_uring.
  const common = { LD_PRELOAD: library, UV_USE_IO_URING: "0" };
  return {
    record: (watched, log) => ({ ...common, DISK_FOLDER: watched, DISK_LOG: log }),
    killAt: (watched, { kind, file, nth }) => ({
      ...common,
      DISK_FOLDER: watched,
      DISK_KILL: `${kind} ${file} ${nth}`,
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
