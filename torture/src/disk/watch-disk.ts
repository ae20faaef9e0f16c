import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const compilers = ["cc", "gcc", "clang"];

/** The library to preload (disk.c), and what it hears by. */
export interface DiskWatch {
  /** For a process of which all that it does in the folder goes into a log. */
  record(folder: string, log: string): Readonly<Record<string, string>>;
  /** For a process that ends by SIGKILL in the place of the n-th doing of a kind on such a file. */
  killAt(
    folder: string,
    doing: { readonly kind: string; readonly file: string; readonly nth: number },
  ): Readonly<Record<string, string>>;
  remove(): void;
}

/** Why a process's doings on the disk can't be watched here, if so. */
export function whyNoWatch(): string | undefined {
  if (process.platform !== "linux") return "it takes Linux";
  const compiler = compilers.find((name) => spawnSync(name, ["--version"]).status === 0);
  return compiler === undefined ? "it takes a C compiler (cc)" : undefined;
}

export function buildDiskWatch(): DiskWatch {
  const why = whyNoWatch();
  if (why !== undefined) throw new Error(`A process's disk can't be watched: ${why}.`);
  const folder = mkdtempSync(join(tmpdir(), "torture-disk-"));
  const library = join(folder, "disk.so");
  const source = fileURLToPath(new URL("./disk.c", import.meta.url));
  const compiler = compilers.find((name) => spawnSync(name, ["--version"]).status === 0) ?? "cc";
  execFileSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]);
  // What libuv hands to the kernel's ring, nobody could watch.
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
