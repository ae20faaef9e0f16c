import { type CliContext, commands, runCommandLine } from "../cli/index.js";

export interface CliRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly shown: readonly string[];
}

/** Runs a command line in this process. */
export async function runCli(
  args: readonly string[],
  { terminal = false, ...overrides }: Partial<CliContext> & { terminal?: boolean } = {},
): Promise<CliRun> {
  const [out, err, shown]: [string[], string[], string[]] = [[], [], []];
  const exitCode = await runCommandLine(commands, args, {
    print: (line) => out.push(line),
    log: (line) => err.push(line),
    show: terminal ? (line) => shown.push(line) : null,
    environment: {},
    version: "9.8.7",
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    ...overrides,
  });
  return { exitCode, out: out.join("\n"), err: err.join("\n"), shown };
}
