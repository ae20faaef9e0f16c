import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { open, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDeviceClient, type DeviceClient } from "@device-gateway/device-client";
import { commands, runCommandLine } from "@device-gateway/device-client/cli";
import {
  createUpdateNetwork,
  createUpdater,
  type UpdateOutcome,
} from "@device-gateway/device-client/update";
import { expect, it, onTestFinished } from "vitest";
import { createDemoFlash } from "./demo/firmware/demo-flash.js";
import { updateClock } from "./demo/firmware/update-clock.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { customerSettings, signCustomer } from "./testing/customer.js";
import { isMissing } from "./testing/missing-program.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";
import { makeTempFolder } from "./testing/start-test-server.js";

useCheapScrypt();

const run = promisify(execFile);
const target = "esp32dev";
const claimCode = "ABCD-EFGH";
const imageBytes = 5_000_000;
const cutAfterBytes = 2_000_000;

/** Reads the first bytes of the Node executable: real machine code, like a firmware image. */
async function readRealBinary(): Promise<Buffer> {
  const file = await open(process.execPath);
  const image = Buffer.alloc(imageBytes);
  await file.read(image, 0, imageBytes, 0);
  await file.close();
  return image;
}

/** Starts a proxy that interrupts every download that begins at the first byte. A resumed download passes. */
async function startCuttingProxy() {
  let targetUrl = new URL("http://127.0.0.1:1");
  const server = createServer((near) => {
    const far = connect(Number(targetUrl.port), targetUrl.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
    let bytesLeft = Number.POSITIVE_INFINITY;
    near.on("data", (bytes: Buffer) => {
      const head = bytes.toString("latin1");
      const cut = /^GET \S+\/ota\/firmware\//.test(head) && !/\r\nrange:/i.test(head);
      bytesLeft = cut ? cutAfterBytes : Number.POSITIVE_INFINITY;
    });
    far.on("data", (bytes: Buffer) => {
      bytesLeft -= bytes.length;
      if (bytesLeft <= 0) near.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passTo: (url: string) => {
      targetUrl = new URL(url);
    },
  };
}

interface TestDevice {
  readonly client: DeviceClient;
  readonly slotFile: string;
  readonly ranges: (string | null)[];
  /** Logs in and runs the updater once. */
  start(): Promise<UpdateOutcome>;
  running(): Promise<string>;
}

/** Creates a device with its flash in a folder. Each start behaves like a start after a power cut. */
async function createTestDevice(
  baseUrl: string,
  deviceId: string,
  pem: string,
): Promise<TestDevice> {
  const folder = await makeTempFolder();
  const flash = createDemoFlash(folder, "1.3.9");
  const client = createDeviceClient({ baseUrl });
  const device = { deviceId, hardwareId: target, firmwareVersion: "1.3.9", claimCode };
  const { deviceSecret } = (await client.register(device))._unsafeUnwrap();
  const ranges: (string | null)[] = [];
  let stored: string | null = null;
  const network = createUpdateNetwork({
    apiUrl: `${baseUrl}/api/v1`,
    fetch: (url, init) => {
      if (url.includes("/ota/firmware/")) ranges.push(new Headers(init.headers).get("range"));
      return fetch(url, init);
    },
    tokens: { current: () => client.token, renew: async () => {} },
    clock: updateClock,
  });
  return {
    client,
    slotFile: join(folder, "slot.bin"),
    ranges,
    running: () => flash.running(),
    async start() {
      const running = await flash.running();
      (await client.login({ deviceId, deviceSecret, firmwareVersion: running }))._unsafeUnwrap();
      const updater = await createUpdater({
        ...{ network, slot: flash.slot, boot: flash.boot, clock: updateClock, running },
        storage: {
          load: async () => stored,
          save: async (text) => {
            stored = text;
          },
        },
        random: Math.random,
        selfTest: async () => {
          (await client.readConfig())._unsafeUnwrap();
        },
        targetHardware: target,
        keys: [{ id: "release", pem }],
      });
      return updater.run();
    },
  };
}

/** Starts a server with a new key behind a cutting proxy, and publishes an image there with the command. */
async function publishImage(image: Buffer) {
  const folder = await makeTempFolder();
  const proxy = await startCuttingProxy();
  const token = await signCustomer("op-1", { roles: ["operator"] });
  const environment: Record<string, string> = {
    DEVICE_GATEWAY_TOKEN: token,
    DEVICE_GATEWAY_URL: proxy.url,
  };
  const cli = (...words: string[]) =>
    runCommandLine(commands, words, {
      version: "0.0.0",
      ...{ print: () => {}, log: () => {}, show: null, environment, now: Date.now },
      fetch: (url, init) => fetch(url, init),
    });
  expect(await cli("firmware", "keygen", "--out", folder)).toBe(0);
  const publicKey = join(folder, "release.public.pem");
  const server = await startServerProcess(await buildServer(), {
    ...{ DATA_DIR: await makeTempFolder(), FIRMWARE_KEYS: publicKey, PUBLIC_URL: proxy.url },
    ...customerSettings,
  });
  proxy.passTo(server.url);

  const imageFile = join(folder, "app.bin");
  await writeFile(imageFile, image);
  const publish = [
    ...["firmware", "publish", imageFile, "--version", "1.4.0", "--target", target],
    ...["--key", join(folder, "release.private.pem")],
  ];
  expect(await cli(...publish)).toBe(0);

  /** Reads a path of the API as an operator. */
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/v1${path}`, { headers })).json() as Promise<never>;
  };
  const { release } = (await read("/operator/firmware/releases/1")) as {
    release: Record<"version" | "targetHardware" | "releasedAt" | "sha256" | "signature", string>;
  };
  return { folder, publicKey, proxyUrl: proxy.url, read, release };
}

it("§6 a real binary reaches two devices from `firmware publish` byte for byte, over an interrupted download", async () => {
  const image = await readRealBinary();
  const { publicKey, proxyUrl, read, release } = await publishImage(image);
  expect(createHash("sha256").update(image).digest("hex")).toBe(release.sha256);

  const pem = await readFile(publicKey, "utf8");
  const testDevices = await Promise.all(
    ["gw-1", "gw-2"].map((deviceId) => createTestDevice(proxyUrl, deviceId, pem)),
  );
  const outcomes = await Promise.all(testDevices.map((testDevice) => testDevice.start()));
  expect(outcomes).toEqual(testDevices.map(() => ({ kind: "restarting", version: "1.4.0" })));
  for (const testDevice of testDevices) {
    expect(testDevice.ranges).toEqual([null, expect.stringMatching(/^bytes=[1-9]\d{5,6}-$/)]);
    expect(await testDevice.running()).toBe("1.4.0");
    expect(await testDevice.start()).toEqual({ kind: "up_to_date" });
    expect((await readFile(testDevice.slotFile)).equals(image)).toBe(true);
  }

  for (const deviceId of ["gw-1", "gw-2"]) {
    const { events } = (await read(`/dashboard/devices/${deviceId}/ota/history?limit=100`)) as {
      events: { state: string }[];
    };
    const states = new Set(events.map(({ state }) => state));
    for (const state of [
      ...["offered", "downloading", "downloaded", "verified"],
      ...["installing", "rebooting", "succeeded"],
    ]) {
      expect(states).toContain(state);
    }
    expect(states).not.toContain("failed");
  }
});

it.skipIf(isMissing("openssl", "version"))(
  "openssl verifies the signature of a release that `firmware publish` signed",
  async () => {
    const { folder, publicKey, release } = await publishImage(Buffer.alloc(300_000, "firmware"));
    const { version, targetHardware, releasedAt, sha256, signature } = release;
    const lines = join(folder, "lines");
    await writeFile(lines, [version, targetHardware, releasedAt, sha256].join("\n"));
    await writeFile(join(folder, "signature"), Buffer.from(signature, "base64"));
    const verified = await run("openssl", [
      ...["dgst", "-sha256", "-verify", publicKey],
      ...["-signature", join(folder, "signature"), lines],
    ]);
    expect(verified.stdout.trim()).toBe("Verified OK");
  },
);
