import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import {
  createTestCloud,
  type TestCloud,
  type TestCloudOptions,
} from "@device-gateway/testing/cloud";
import { onTestFinished } from "vitest";
import { builtProgram } from "./tool-chain.js";

export type Compiler = "gcc" | "clang";
/** A line that the device prints: the result of a command, or an event. */
export type Line = Readonly<Record<string, unknown>>;

export interface Run {
  readonly lines: readonly Line[];
  readonly wasKilled: boolean;
  /** Returns the results of a command, oldest first. */
  results(command: string): readonly Line[];
}

/** A device in C with its files, and the cloud that it talks to. */
export interface CDevice {
  readonly cloud: TestCloud;
  readonly url: string;
  readonly deviceId: string;
  readonly folder: string;
  /** Starts the device, which performs the commands and exits. It dies at the operation `killAt`. */
  run(commands: readonly string[], options?: RunOptions): Promise<Run>;
  /** Deletes the stored secret, so that the device must register again. */
  loseSecret(): void;
  /** Runs the example of the README for one round. */
  runExample(): Promise<Ended>;
}

interface Ended {
  readonly printed: string;
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts a program and waits for its end. `onOutput` gets what it prints, and its input. */
async function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onOutput: (text: string, input: Writable) => void = () => {},
): Promise<Ended> {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: "pipe" });
  let printed = "";
  child.stdout.on("data", (text) => {
    printed += String(text);
    onOutput(String(text), child.stdin);
  });
  child.stderr.on("data", (text) => {
    printed += String(text);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { printed, code, signal };
}

export interface RunOptions {
  readonly compiler?: Compiler;
  readonly killAt?: number;
  readonly bufferRecords?: number;
  /** Default: the address of the cloud. */
  readonly url?: string;
  /** The public key that the device pins. Default: that of the cloud's releases. */
  readonly pem?: string;
  /** The certificate that the device trusts. Default: those of the system. */
  readonly caPem?: string;
  /** Default: a valid one. */
  readonly claimCode?: string;
  /** Another device of the same cloud, with its own files. */
  readonly deviceId?: string;
  /** Whether the device searches for memory leaks when it ends. Default: true. */
  readonly findLeaks?: boolean;
  /** Called while the device waits in its command `pause`. */
  readonly onPause?: () => void;
}

function parse(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line];
  } catch {
    return [];
  }
}

const unlimited = {
  loginsPerMinute: 1_000_000,
  authPerMinute: 1_000_000,
  telemetryPerMinute: 1_000_000,
};

/** The device syncs each file to the disk. In memory that takes no time, and SIGKILL loses nothing either. */
const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

type GatewayOptions = NonNullable<TestCloudOptions["gateway"]>;

/** Starts a cloud and creates a device without any stored data. */
export async function createCDevice({ limits, ...gateway }: GatewayOptions = {}): Promise<CDevice> {
  const cloud = await createTestCloud({
    realTime: true,
    gateway: { ...gateway, limits: { ...unlimited, ...limits } },
  });
  const folder = mkdtempSync(join(memoryFolder, "c-device-"));
  onTestFinished(async () => {
    await cloud.close();
    rmSync(folder, { recursive: true });
  });
  const url = await cloud.listen();
  const keyFile = join(folder, "key.pem");
  const caFile = join(folder, "ca.pem");
  const deviceId = "gw-c";

  return {
    cloud,
    url,
    deviceId,
    folder,
    async run(commands, { compiler = "gcc", killAt, bufferRecords, ...options } = {}) {
      const id = options.deviceId ?? deviceId;
      writeFileSync(keyFile, options.pem ?? cloud.releaseKey.pem);
      if (options.caPem !== undefined) writeFileSync(caFile, options.caPem);
      const places = [options.url ?? url, join(folder, id), id, cloud.releaseKey.id, keyFile];
      const env = {
        ...(killAt !== undefined && { KILL_AT: String(killAt) }),
        ...(options.caPem !== undefined && { CA_FILE: caFile }),
        ...(options.claimCode !== undefined && { CLAIM_CODE: options.claimCode }),
        ...(bufferRecords !== undefined && { BUFFER_RECORDS: String(bufferRecords) }),
        ...(options.findLeaks === false && { ASAN_OPTIONS: "detect_leaks=0" }),
      };
      const program = builtProgram(`${compiler}/device`);
      const ended = await runProgram(program, [...places, ...commands], env, (text, input) => {
        if (!text.includes('"pause"')) return;
        options.onPause?.();
        input.end("\n");
      });
      const { printed, code, signal } = ended;
      const wasKilled = signal === "SIGKILL";
      if (code !== 0 && !wasKilled)
        throw new Error(`The device ended with ${code ?? signal}.\n${printed}`);
      const lines = printed.split("\n").flatMap(parse);
      return {
        lines,
        wasKilled,
        results: (name) => lines.filter(({ command }) => command === name),
      };
    },
    loseSecret: () => rmSync(join(folder, deviceId, "secret")),
    runExample() {
      writeFileSync(keyFile, cloud.releaseKey.pem);
      const places = [cloud.releaseKey.id, keyFile, join(folder, "example"), "1"];
      return runProgram(builtProgram("gcc/gateway"), [url, "gw-example", "ABCD-EFGH", ...places]);
    },
  };
}

/** Creates a signed image for the device. Its header has its version and what it does. */
export function createImage(version: string, behaviour = "good", size = 150_000): Uint8Array {
  const image = new Uint8Array(size);
  for (let at = 0; at < size; at++) image[at] = (at * 31 + (at >> 8)) & 0xff;
  image.set(new TextEncoder().encode(`IMAGE ${version} ${behaviour}\n`));
  return image;
}

/** Returns the numbers of the records that the cloud stored, in ascending order. */
export async function storedSeqs({ cloud, deviceId }: CDevice): Promise<number[]> {
  const records = (await cloud.records(deviceId)) as readonly { seq: number }[];
  return records.map(({ seq }) => seq).sort((a, b) => a - b);
}

/** Returns a release of a signed image for the device. */
export const createRelease = (version: string, behaviour?: string) => ({
  version,
  targetHardware: "esp32dev",
  image: createImage(version, behaviour),
});
