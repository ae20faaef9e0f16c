import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A process that is there to be killed. */
export interface Killable {
  readonly pid: number;
  /** What it has said so far, a line each, after its first. */
  readonly said: readonly string[];
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface KillableOptions {
  /** A command that ends by becoming the one that follows it. */
  readonly through?: readonly string[];
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program, whether or not it lives until it says that it is ready. */
export function spawnKillable(
  program: string,
  { through = [], arguments: given = [], environment = {} }: KillableOptions = {},
): Killable & { readonly ready: Promise<void> } {
  const [command = "", ...rest] = [...through, process.execPath, program, ...given];
  const child: ChildProcess = spawn(command, rest, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
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
  ready.catch(() => {});
  // Its last words count: they are read to the end before it is taken for gone.
  const ended = Promise.all([
    new Promise((resolve) => child.once("exit", resolve)),
    new Promise((resolve) => lines.once("close", resolve)),
  ]).then(() => ({ code: child.exitCode, signal: child.signalCode }));
  return {
    pid: child.pid ?? 0,
    said,
    ready,
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a program and waits until it says that it is ready. */
export async function startKillable(program: string, options?: KillableOptions): Promise<Killable> {
  const started = spawnKillable(program, options);
  await started.ready;
  return started;
}
