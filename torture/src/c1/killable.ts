import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Makes the two programs plain JavaScript, so that they start in no time. */
export async function bundlePrograms(): Promise<string> {
  // Below the package, so that the programs find SQLite.
  const outdir = await mkdtemp(join(here, "..", "..", "node_modules", ".c1-"));
  await build({
    entryPoints: [join(here, "server-process.ts"), join(here, "client-process.ts")],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["better-sqlite3"],
    tsconfig: join(here, "..", "..", "..", "tsconfig.base.json"),
    logLevel: "warning",
  });
  return outdir;
}

/** A process that is there to be killed. */
export interface Killable {
  /** What it has said so far, a line each, after its first. */
  readonly said: readonly string[];
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it ends by itself. */
  readonly ended: Promise<void>;
}

/** Starts a program and waits until it says that it is ready. */
export async function startKillable(program: string, ...args: string[]): Promise<Killable> {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The process has no output.");
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line === "ready") resolve();
      else said.push(line);
    });
    lines.once("close", () => reject(new Error(`${program} ended before it was ready.`)));
  });
  // Its last words count: they are read to the end before it is taken for gone.
  const ended = Promise.all([
    new Promise((resolve) => child.once("exit", resolve)),
    new Promise((resolve) => lines.once("close", resolve)),
  ]).then(() => {});
  await ready;
  return {
    said,
    ended,
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
