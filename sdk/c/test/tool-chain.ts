import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { oncePerRun } from "../../../scripts/once-per-run.js";

const folder = fileURLToPath(new URL("..", import.meta.url));
const needs =
  "#include <curl/curl.h>\n#include <mbedtls/ecdsa.h>\n#include <sodium.h>\nint main(void){return 0;}";
const hint =
  "Install gcc, make, clang, libclang-rt-dev, libcurl4-openssl-dev, libmbedtls-dev and libsodium-dev (Debian).";

const compiles = (compiler: string) =>
  spawnSync(compiler, ["-x", "c", "-fsanitize=address,undefined", "-o", "/dev/null", "-"], {
    input: needs,
  }).status === 0;

const missing = !["gcc", "clang"].every(compiles) || spawnSync("make", ["-v"]).status !== 0;
const required = Boolean(process.env["CI"]);
if (missing && !required) console.warn(`The tests of the C client are skipped. ${hint}`);

/** Groups tests that need a C tool chain. Without one they are skipped with a warning; on CI they fail. */
export const describeInC = describe.skipIf(missing && !required);

/** Whether the size for a microcontroller can be measured. */
export const hasArmCompiler = spawnSync("arm-none-eabi-gcc", ["--version"]).status === 0;

/** Runs a target of the Makefile and returns what it prints. @throws {Error} with its output if it fails. */
export async function make(target: string): Promise<string> {
  if (missing) throw new Error(`The C tool chain is missing. ${hint}`);
  const child = spawn("make", ["-C", folder, "-j2", target], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  child.stderr.on("data", (text) => (printed += String(text)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`make ${target} failed.\n${printed}`);
  return printed;
}

/** Builds the device and the example, in one process at a time. */
export async function makeDevice(): Promise<void> {
  await oncePerRun("c-device", () => make("device"));
}

/** Returns the path of a program that `make` built. */
export const builtProgram = (name: string): string => `${folder}build/${name}`;
