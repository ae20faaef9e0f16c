import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";
import { cheapScryptInProcesses } from "./cheap-scrypt-in-processes.js";

/** Bundles the program from its sources, once per process. Returns its path. */
export const buildServer = () => bundleProgram("examples/server/src/main.ts");

export interface ServerProcess {
  readonly url: string;
  /** The URL of the metrics, if METRICS_PORT is set. */
  readonly metricsUrl: string | undefined;
  /** The log lines before it was ready. */
  readonly before: readonly string[];
  /** Sends the signal and waits for the exit. Returns the exit code, or null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

async function readReady(
  child: ChildProcess & { stderr: NodeJS.ReadableStream },
): Promise<Omit<ServerProcess, "end">> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('"url"')) {
      const { url, metricsUrl } = JSON.parse(line) as Pick<ServerProcess, "url" | "metricsUrl">;
      return { url, metricsUrl, before: lines };
    }
    lines.push(line);
  }
  throw new Error(`The server did not start: ${lines.join("\n")}`);
}

/** Starts the built program, with cheap slow hashes, and waits until it reports its URL. */
export async function startServerProcess(
  program: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env["PATH"], PORT: "0", ...cheapScryptInProcesses, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await exited;
    return code;
  };
  onTestFinished(() => void child.kill("SIGKILL"));
  const ready = await readReady(child);
  child.stderr.resume();
  return { ...ready, end };
}
