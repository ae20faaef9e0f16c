import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { RequestFiles } from "./fleet-requests.js";
import { generatorCore, onCore } from "./machine/cores.js";

const script = fileURLToPath(new URL("fleet-requests.lua", import.meta.url));

export interface LoadResult {
  /** Responses in time with a status below 400. */
  readonly requests: number;
  readonly seconds: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Requests that broke off, timed out, or were answered with 400 or above. */
  readonly failed: number;
  readonly cpuSeconds: number;
  /** Number of the first request that was not yet sent. */
  readonly next: number;
}

export interface ServerLoad {
  readonly port: number;
  readonly files: RequestFiles;
  readonly connections: number;
  readonly seconds: number;
  readonly first: number;
}

/** Loads a server for some seconds. */
export type LoadGenerator = (load: ServerLoad) => Promise<LoadResult>;

/** Posts the load's bodies, or gets its path, with `wrk` (https://github.com/wg/wrk) on the generator's core. */
export const runWrk: LoadGenerator = async ({ port, files, connections, seconds, first }) => {
  const { devices, bodies, header, path } = files;
  const { command, args } = onCore(generatorCore, "wrk", [
    "--threads=1",
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    "--timeout=30s",
    `--script=${script}`,
    `http://127.0.0.1:${port}${path}`,
    "--",
    String(first),
    devices,
    ...(header === undefined ? ["post", bodies] : ["get", header]),
  ]);
  const { stdout } = await promisify(execFile)(command, args).catch((cause: unknown) => {
    throw new Error("wrk did not run. Install it; on Debian: apt-get install -y wrk", { cause });
  });
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk printed no result: ${stdout}`);
  return JSON.parse(result) as LoadResult;
};
