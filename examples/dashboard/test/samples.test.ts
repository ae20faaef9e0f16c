import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDeviceClient } from "@device-gateway/device-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInC } from "../../../sdk/c/test/tool-chain.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { isMissing } from "../../server/src/testing/missing-program.js";
import { type Language, sampleOf } from "../src/connect/samples.js";
import { runCommand } from "./run-command.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const timeout = 120_000;
const repository = fileURLToPath(new URL("../../..", import.meta.url));
const sdk = join(repository, "sdk");
const claimCode = "7K2M-9QXT-4HNB-W5RD";

let site: Site;
let folder: string;

beforeAll(async () => {
  site = await startSite({ environment: { DEMO: false } });
  folder = await mkdtemp(join(tmpdir(), "device-gateway-samples-"));
}, timeout);
afterAll(async () => {
  await site?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Writes the program into a folder of its own, and returns a function that runs commands there. */
const writeSample = async (language: Language, file: string) => {
  // The apostrophe needs an escape in a shell.
  const identity = { deviceId: `gw-${language}`, hardwareId: "esp32:devkit'v1", claimCode };
  const program = sampleOf(language, { origin: site.url, ...identity });
  const cwd = join(folder, language);
  await mkdir(cwd);
  await writeFile(join(cwd, file), program);
  return (command: string, args: readonly string[], environment = {}) =>
    runCommand(command, args, { cwd, environment });
};

/** Whether the device has registered with the code of the sample: the code is needed to register it again. */
const hasRegistered = async (language: Language) => {
  const device = createDeviceClient({ baseUrl: site.url });
  const wrong = {
    ...{ deviceId: `gw-${language}`, hardwareId: "esp32:devkit'v1", firmwareVersion: "1.0.0" },
    claimCode: "WRONG-CODE-0000",
  };
  return (await device.register(wrong))._unsafeUnwrapErr().code === "device_already_registered";
};

test.skipIf(isMissing("bash", "--version") || isMissing("curl", "--version"))(
  "§4 the sample for curl registers a device and sends a record",
  { timeout },
  async () => {
    const run = await writeSample("curl", "sample.sh");
    const output = await run("bash", ["sample.sh"]);
    expect(JSON.parse(output)).toMatchObject({ accepted: 1, rejected: [] });
    expect(await hasRegistered("curl")).toBe(true);
  },
);

test("§4 the sample for TypeScript registers a device and sends a record", {
  timeout,
}, async () => {
  const run = await writeSample("TypeScript", "sample.mts");
  const tsx = join(repository, "node_modules/tsx/dist/cli.mjs");
  const config = join(repository, "tsconfig.json");
  const output = await run(process.execPath, [tsx, "--tsconfig", config, "sample.mts"]);
  expect(output).toContain("accepted: 1");
  expect(await hasRegistered("TypeScript")).toBe(true);
});

test.skipIf(isMissing("python3", "--version"))(
  "§4 the sample for MicroPython registers a device and sends a record",
  { timeout },
  async () => {
    const run = await writeSample("MicroPython", "sample.py");
    const output = await run("python3", ["sample.py"], { PYTHONPATH: join(sdk, "micropython") });
    expect(output).toContain("'accepted': 1");
    expect(await hasRegistered("MicroPython")).toBe(true);
  },
);

test("§9 the sample for MicroPython checks the certificate of a server with HTTPS", () => {
  const identity = { deviceId: "gw-1", hardwareId: "board", claimCode };
  const program = sampleOf("MicroPython", { origin: "https://gateway.example.com", ...identity });
  expect(program).toContain("context.verify_mode = ssl.CERT_REQUIRED");
  expect(program).toContain("http=SocketHttp(ssl=context)");
});

describeInC("the sample for C", () => {
  test("§4 registers a device and sends a record", { timeout }, async () => {
    const run = await writeSample("C", "gateway.c");
    await run("mkdir", ["state"]);
    const includes = ["include", "src", "host"].map((name) => `-I${sdk}/c/${name}`).join(" ");
    const sources = `gateway.c ${sdk}/c/src/*.c ${sdk}/c/host/*.c`;
    const compile = `cc ${includes} ${sources} -lcurl -lmbedcrypto -lsodium -o gateway`;
    await run("bash", ["-c", compile]);
    expect(await run("./gateway", [])).toBe("Sent 1 readings.\n");
    expect(await hasRegistered("C")).toBe(true);
  });
});
