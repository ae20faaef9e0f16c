import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";

/** A script of this folder that runs in its own process. */
export interface ScriptProcess {
  /**
   * Returns the next line that the script prints, or null when it has ended. Rejects if it failed.
   */
  nextLine(): Promise<string | null>;
  send(line: string): void;
  /** Kills the process at once (SIGKILL). */
  kill(): void;
}

/** Runs `<name>.ts` of this folder. */
export async function startScript(
  name: string,
  ...args: readonly string[]
): Promise<ScriptProcess> {
  const program = await bundleProgram(`packages/store-sqlite/src/testing/${name}.ts`);
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = waitForEnd(child);
  return {
    nextLine: async () => {
      const { value, done } = await lines.next();
      if (!done) return value;
      await ended;
      return null;
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    kill: () => void child.kill("SIGKILL"),
  };
}

function waitForEnd(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0 || signal === "SIGKILL") resolve();
      else reject(new Error(`The script ended with ${code ?? signal}.`));
    });
  });
  // Avoids an unhandled rejection if nobody waits for a line.
  ended.catch(() => {});
  return ended;
}
