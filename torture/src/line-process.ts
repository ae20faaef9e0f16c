import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../scripts/bundle-programs.js";

/** A script in its own process that answers each line of input with one line. */
export interface LineProcess {
  /** Sends a line and resolves with the answer. */
  ask(line: string): Promise<string>;
  /** Closes its input and waits until it exits. */
  end(): Promise<void>;
}

/** Starts a TypeScript file, given relative to this folder, and waits until it prints `ready`. */
export async function startLineProcess(file: string, ...args: string[]): Promise<LineProcess> {
  const program = await bundleProgram(`torture/src/${file}`);
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The child process has no standard output.");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const line: IteratorResult<string, unknown> = await lines.next();
    if (line.done) throw new Error(`${file} exited before it answered.`);
    return line.value;
  };
  if ((await nextLine()) !== "ready") throw new Error(`${file} did not start.`);
  return {
    async ask(line) {
      child.stdin?.write(`${line}\n`);
      return nextLine();
    },
    async end() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin?.end();
      await ended;
    },
  };
}

/** Answers each line of standard input. For scripts that `startLineProcess` starts. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${await answer(line)}\n`);
  }
}
