import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A child process that the attack will kill. */
export interface Killable {
  readonly pid: number;
  /** Lines of its standard output so far, except `ready`. */
  readonly said: readonly string[];
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>;
  /** Resolves when the process has exited for any reason. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface KillableOptions {
  /** A command that runs the program in its own place, such as `taskset` or `nice`. */
  readonly through?: readonly string[];
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program. `ready` resolves when it prints `ready`, and rejects if it exits before. */
export function spawnKillable(
  program: string,
  { through = [], arguments: given = [], environment = {} }: KillableOptions = {},
): Killable & { readonly ready: Promise<void> } {
  const [command = "", ...rest] = [...through, process.execPath, program, ...given];
  const child: ChildProcess = spawn(command, rest, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  if (child.stdout === null) throw new Error("The child process has no standard output.");
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line === "ready") resolve();
      else said.push(line);
    });
    lines.once("close", () => reject(new Error(`${program} exited before it was ready.`)));
  });
  ready.catch(() => {});
  // The attack needs all output, so the process counts as ended only when its output is read.
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

/** Starts a program and waits until it prints `ready`. */
export async function startKillable(program: string, options?: KillableOptions): Promise<Killable> {
  const started = spawnKillable(program, options);
  await started.ready;
  return started;
}
