import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** A script in a process of its own that answers each line with a line. */
export interface LineProcess {
  /** Sends a line; resolves with the answer. */
  ask(line: string): Promise<string>;
  /** Lets it end by itself. */
  end(): Promise<void>;
}

/** Starts a TypeScript file, given relative to this folder, and waits until it says it is ready. */
export async function startLineProcess(file: string, ...args: string[]): Promise<LineProcess> {
  const path = fileURLToPath(new URL(`./${file}`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", path, ...args], {
    cwd: repository,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The process has no output.");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const line: IteratorResult<string, unknown> = await lines.next();
    if (line.done) throw new Error(`${file} ended early.`);
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

/** Answers each line of standard input, in a script that `startLineProcess` started. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${await answer(line)}\n`);
  }
}
