import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** A script of this folder in its own process. */
export interface Child {
  /** Returns the next line that it prints. Rejects if it ends before. */
  nextLine(): Promise<string>;
  send(line: string): void;
  kill(): void;
}

export function startChild(name: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...args], {
    cwd: repository,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async nextLine() {
      const line: IteratorResult<string, unknown> = await lines.next();
      if (line.done) throw new Error(`${name} ended unexpectedly.`);
      return line.value;
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    kill: () => void child.kill("SIGKILL"),
  };
}
