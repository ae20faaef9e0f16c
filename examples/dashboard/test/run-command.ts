import { spawn } from "node:child_process";
import { once } from "node:events";

interface CommandOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command and returns what it prints. @throws {Error} with its output if it fails. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, environment = {} }: CommandOptions,
): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [printed, errors] = ["", ""];
  child.stdout.on("data", (text) => {
    printed += String(text);
  });
  child.stderr.on("data", (text) => {
    errors += String(text);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed.\n${printed}\n${errors}`);
  return printed;
}
