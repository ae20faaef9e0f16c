import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createReleaseSigner } from "@device-gateway/testing";
import { createTestCloud, type TestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import type { Fetch } from "../../call-route.js";
import { runCli } from "../../testing/run-cli.js";
import { makeTempFolder } from "../../testing/temp-folder.js";
import { createFleetStats } from "./fleet-stats.js";
import { type Profile, profiles } from "./profile.js";
import { describeProgress } from "./summary.js";
import { createUpdatePermits } from "./virtual-firmware.js";
import { createVirtualGateway } from "./virtual-gateway.js";

async function start({ authPerMinute = 1_000_000 } = {}) {
  const limits = { authPerMinute, telemetryPerMinute: 1_000_000 };
  const cloud = await createTestCloud({ realTime: true, gateway: { limits } });
  onTestFinished(() => cloud.close());
  return { cloud, url: await cloud.listen() };
}

/** Returns the ids of the devices that registered. */
const idsOf = (cloud: TestCloud) => [
  ...new Set(
    cloud.requestsTo("registerDevice").map(({ body }) => (body as { deviceId: string }).deviceId),
  ),
];

const fleet = ["--devices", "5", "--interval", "50ms", "--duration", "600ms"];

test("a fleet over HTTP loses no reading and stores none twice", async () => {
  const { cloud, url } = await start();
  const args = ["simulate", "--url", url, ...fleet, "--profile", "hostile"];
  const { exitCode, out, err } = await runCli(args);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("Every reading arrived exactly once.");

  const ids = idsOf(cloud);
  expect(ids).toHaveLength(5);
  for (const deviceId of ids) {
    const records = (await cloud.records(deviceId)) as { n: number; repeated?: boolean }[];
    const numbers = records.filter(({ repeated }) => repeated === undefined).map(({ n }) => n);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
  }
});

/** Starts a cloud with a release for the fleet, and writes its public key to a file. */
async function startRollout(image = new Uint8Array(300_000).fill(7)) {
  const { cloud, url } = await start();
  const release = { version: "1.1.0", targetHardware: "sim-virtual", image };
  const { id } = await cloud.addRelease(release);
  const key = join(await makeTempFolder(), `${cloud.releaseKey.id}.public.pem`);
  await writeFile(key, cloud.releaseKey.pem);
  const simulate = (profile: string, ...args: string[]) =>
    runCli(["simulate", "--url", url, ...fleet, "--profile", profile, ...args]);
  return { cloud, key, id, simulate, image };
}

test("a fleet downloads, verifies and installs the offered firmware", async () => {
  const { cloud, key, id, simulate, image } = await startRollout();
  const { exitCode, out, err } = await simulate("steady", "--key", key);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain(`5 updated, 0 rolled back; 0 starts of bad images (0 crashed, 0 failed`);
  expect(out).toContain(`${(image.length * 5) / 1_000_000} MB downloaded`);
  expect(await cloud.store.updates.counts(id)).toEqual({ succeeded: 5 });
});

test("a fleet rolls back bad firmware that crashes or fails its self-test", async () => {
  const { cloud, key, simulate } = await startRollout();
  const { exitCode, out, err } = await simulate("hostile", "--key", key, "--seed", "3");
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const [, updated, back] = /(\d+) updated, (\d+) rolled back/.exec(out) ?? [];
  expect(Number(back)).toBeGreaterThan(0);
  const updates = await Promise.all(
    idsOf(cloud).map((deviceId) => cloud.store.updates.list(deviceId)),
  );
  const ended = updates.flat().map(({ outcome }) => outcome?.kind);
  expect(ended.filter((kind) => kind === "succeeded")).toHaveLength(Number(updated));
  expect(ended.filter((kind) => kind === "failed")).toHaveLength(Number(back));
});

test("the command fails if a gateway does not run the expected version", async () => {
  const { key, simulate } = await startRollout();
  const expected = ["--expect-version", "1.1.0"];
  expect(await simulate("steady", "--key", key, ...expected)).toMatchObject({ exitCode: 0 });
  // Releases that are not newer than the running version are not offered.
  const newer = await simulate("steady", "--key", key, "--firmware", "1.2.0", ...expected);
  expect(newer).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("0 of 5 gateways run 1.1.0. The others run 1.2.0."),
  });
  const { out } = await runCli(["simulate", "--help"]);
  expect(out).toMatch(/--firmware X.Y.Z .*run at the start. \(default: 1.0.0\)/);
});

test("a fleet is erased after its run, and interrupted runs later, but no other device", async () => {
  const { cloud, url } = await start();
  const token = cloud.signIn("olga", { operator: true });
  const other = await cloud.addDevice({ deviceId: "sim-real" });
  await cloud.addDevice({ deviceId: "sim-old-1", hardwareId: "sim:virtual" });
  await cloud.addDevice({ deviceId: "bench-old-1", hardwareId: "sim:virtual" });
  const listed = async () =>
    (await cloud.store.devices.list({ ownerId: null, after: "", limit: 10 })).map(
      ({ deviceId }) => deviceId,
    );
  const args = ["--url", url, "--token", token];

  const ended = await runCli(["simulate", ...args, ...fleet, "--clean-up"]);
  expect(ended).toMatchObject({ exitCode: 0, out: expect.stringContaining("5 gateways erased.") });
  expect(await listed()).toEqual(["bench-old-1", "sim-old-1", other.deviceId]);

  const cleaned = await runCli(["simulate", "clean-up", ...args]);
  expect(cleaned).toMatchObject({ exitCode: 0, out: "1 gateway erased." });
  expect(await listed()).toEqual(["bench-old-1", other.deviceId]);

  const wrong = await runCli(["simulate", "clean-up", "--url", url, "--token", "wrong"]);
  expect(wrong).toMatchObject({ exitCode: 1, err: expect.stringContaining("rejected the token") });
});

test("gateways that cannot be erased do not hide why the run failed", async () => {
  const { url } = await start();
  const args = ["simulate", "--url", url, ...fleet, "--clean-up", "--token", "wrong"];
  const { exitCode, err, out } = await runCli([...args, "--expect-version", "9.9.9"]);
  expect(exitCode).toBe(1);
  const lines = err.split("\n");
  expect(lines[0]).toContain("Not all gateways are erased: The server rejected the token");
  expect(lines.at(-2)).toContain("device-gateway simulate clean-up");
  expect(lines.at(-1)).toContain("9.9.9");
  expect(out).not.toContain("erased");
});

test("each gateway has a claim code of 80 random bits", async () => {
  const { cloud, url } = await start();
  await runCli(["simulate", "--url", url, ...fleet]);
  const codes = cloud
    .requestsTo("registerDevice")
    .map(({ body }) => (body as { claimCode: string }).claimCode);
  for (const code of codes)
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(new Set(codes).size).toBe(5);
});

test("a fleet with another key refuses the offer, and the command fails", async () => {
  const { key, simulate } = await startRollout();
  const other = await createReleaseSigner();
  await writeFile(key, other.key.publicKey);
  const { exitCode, err } = await simulate("steady", "--key", key);
  expect(exitCode).toBe(1);
  expect(err).toBe(
    "5 gateways refused the firmware: its signature is invalid (invalid_signature). Pass the public key of its signer as --key.",
  );
});

test("a fleet registers gradually if the server asks it to wait", async () => {
  const { cloud, url } = await start({ authPerMinute: 3 });
  const waits: number[] = [];
  // Each delay that the server asks for passes at once and is recorded.
  const slow: Fetch = async (to, init) => {
    const response = await fetch(to, init);
    if (response.status !== 429) return response;
    const seconds = Number(response.headers.get("retry-after"));
    waits.push(seconds);
    cloud.clock.advance(seconds * 1000);
    const headers = { ...Object.fromEntries(response.headers), "retry-after": "0" };
    return new Response(response.body, { status: 429, headers });
  };
  const args = ["simulate", "--url", url, ...fleet];
  const { exitCode, out } = await runCli(args, { fetch: slow });
  expect({ exitCode, out }).toMatchObject({ exitCode: 0, out: expect.stringContaining("5 of 5") });
  expect(waits.length).toBeGreaterThan(0);
});

test("the progress line says why no gateway can register", async () => {
  const stats = createFleetStats();
  const line = () => describeProgress(stats, { seconds: 3, endsAtSeconds: null, devices: 2 });
  const { cloud, url } = await start();
  let comeBack = () => {};
  const back = new Promise<void>((resolve) => {
    comeBack = resolve;
  });
  let isDown = true;
  const fetchLate: Fetch = async (to, init) => {
    if (!isDown) return back.then(() => fetch(to, init));
    isDown = false;
    throw new TypeError("fetch failed");
  };
  const gateway = createVirtualGateway({
    ...{ baseUrl: url, basePath: "/api/v1", fetch: fetchLate, deviceId: "sim-1" },
    ...{ targetHardware: "sim-virtual", profile: profiles["steady"] as Profile, random: () => 0.5 },
    ...{ claimCode: "SIMU-LATE", firmware: "1.0.0" },
    ...{ now: () => cloud.clock.now(), stats, key: null, permits: createUpdatePermits(1) },
  });
  const connecting = gateway.connect();
  await expect.poll(() => stats.retries).toBe(1);
  expect(line()).toBe(`registering 0 of 2: No response from ${url}/api/v1: fetch failed`);
  comeBack();
  expect(await connecting).toBeNull();
  expect(line()).toMatch(/^registering 1 of 2 · /);
});

test.each([
  [["--devices", "none"], "--devices"],
  [["--interval", "soon"], "--interval"],
  [["--url", "127.0.0.1:9"], "not an http or https address"],
  [["--firmware", "new"], "--firmware"],
  [["--clean-up"], "--clean-up needs the token of an operator"],
  [["--profile", "cosy"], '--profile: "cosy" is unknown. Use steady, rough, hostile'],
])("%j is an invalid command line", async (args, sentence) => {
  const { exitCode, err } = await runCli(["simulate", "--url", "http://127.0.0.1:9", ...args]);
  expect(exitCode).toBe(2);
  expect(err).toContain(sentence);
});
