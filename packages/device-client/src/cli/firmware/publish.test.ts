import { createHash, randomBytes, sign } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDeviceClient } from "../../device-client.js";
import { runCli } from "../../testing/run-cli.js";
import { listen, serveGateway } from "../../testing/serve-gateway.js";
import { makeTempFolder } from "../../testing/temp-folder.js";

interface Setup {
  readonly folder: string;
  readonly url: string;
  readonly image: Buffer;
  /** Runs `firmware …` as an operator. */
  run(args: readonly string[], options?: Parameters<typeof runCli>[1]): ReturnType<typeof runCli>;
  publish(...more: string[]): ReturnType<typeof runCli>;
}

/** Creates keys, an image and a gateway that has the public key. */
async function setUp(image = randomBytes(300_000)): Promise<Setup> {
  const folder = await makeTempFolder();
  await runCli(["firmware", "keygen", "--out", folder]);
  const pem = await readFile(join(folder, "release.public.pem"), "utf8");
  const { url } = await serveGateway([{ id: "release", pem }]);
  await writeFile(join(folder, "app.bin"), image);
  const environment = { DEVICE_GATEWAY_URL: url, DEVICE_GATEWAY_TOKEN: "operator" };
  const run: Setup["run"] = (args, options) =>
    runCli(["firmware", ...args], { environment, ...options });
  return {
    folder,
    url,
    image,
    run,
    publish: (...more) =>
      run([
        "publish",
        join(folder, "app.bin"),
        ...["--version", "1.4.0", "--target", "esp32dev"],
        ...["--key", join(folder, "release.private.pem"), ...more],
      ]),
  };
}

test("§8 publish signs, uploads and offers a release, and reports its progress", async () => {
  const { publish, run, image } = await setUp();
  const { exitCode, out, err } = await publish("--rollout", "10", "--notes", "Faster.");
  expect(err.split("\n")).toEqual([
    "Release 1 is a draft, signed with release.",
    expect.stringMatching(/^Uploading \d+ %/),
    ...Array.from({ length: 3 }, () => expect.stringMatching(/^Uploading \d+ %, .* of 300 kB$/)),
    "The image is stored and matches its signature.",
  ]);
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: "Release 1: 1.4.0 for esp32dev is offered to 10 % of the devices on stable.",
  });
  const { out: status } = await run(["status", "1"]);
  expect(status).toContain(createHash("sha256").update(image).digest("hex"));
  expect(status).toContain("300,000 bytes, stored");
});

test("§8 publish accepts a signature that was made elsewhere", async () => {
  const { run, folder } = await setUp();
  const about = [join(folder, "app.bin"), "--version", "1.4.0", "--target", "esp32dev"];
  const file = join(folder, "lines.txt");
  const lines = await run(["lines", ...about, "--out", file]);
  expect(lines.exitCode).toBe(0);
  const [, , releasedAt = ""] = lines.out.split("\n");
  expect(lines.err).toContain(`--released-at ${releasedAt}`);
  // As `openssl dgst -sha256 -sign` does.
  const pem = await readFile(join(folder, "release.private.pem"), "utf8");
  const signature = sign("sha256", await readFile(file), pem).toString("base64");
  const known = ["--released-at", releasedAt, "--key-id", "release"];
  const { out } = await run(["publish", ...about, ...known, "--signature", signature]);
  expect(out).toContain("is offered");

  const usage = async (...more: string[]) => {
    const { exitCode, err } = await run(["publish", ...about, ...more]);
    expect(exitCode).toBe(2);
    return err;
  };
  expect(await usage()).toContain("Pass --key");
  expect(await usage("--signature", signature)).toContain("--released-at");
  expect(await usage("--signature", signature, "--key", "a.pem")).toContain("Pass --key");
});

test.each([
  [["--version", "v1.4.0"], "version: major.minor.patch, such as 1.4.0."],
  [["--released-at", "2026-01-31T12:00Z"], "releasedAt: "],
  [["--target", "esp32\tdev"], "targetHardware: 1 to 128 printable characters."],
])("§8 lines writes no bytes of a release that publish refuses: %j", async (wrong, sentence) => {
  const { run, folder } = await setUp();
  const about = [join(folder, "app.bin"), "--version", "1.4.0", "--target", "esp32dev", ...wrong];
  const file = join(folder, "lines.txt");
  const lines = await run(["lines", ...about, "--out", file]);
  expect(lines).toMatchObject({ exitCode: 2, out: "" });
  expect(lines.err).toContain(`The release is invalid: ${sentence}`);
  await expect(stat(file)).rejects.toThrow("ENOENT");
  const published = await run(["publish", ...about, "--key", join(folder, "release.private.pem")]);
  expect(published).toMatchObject({ exitCode: 2, err: lines.err });
});

test("§8 on a terminal, the upload has a progress bar", async () => {
  const { run, folder } = await setUp();
  const { shown } = await run(
    [
      "publish",
      join(folder, "app.bin"),
      ...["--version", "1.4.0", "--target", "esp32dev", "--draft"],
      ...["--key", join(folder, "release.private.pem")],
    ],
    { terminal: true },
  );
  expect(shown.at(-2)).toBe(`Uploading ${"█".repeat(30)} 100 %  300 kB of 300 kB`);
  expect(shown.at(-1)).toBe("");
});

test("§8 a repeated publish continues with the existing release", async () => {
  const { publish, run } = await setUp();
  await publish("--draft");
  const { exitCode, out, err } = await publish("--notes", "Too late.");
  expect(exitCode).toBe(0);
  expect(err).toContain("Release 1 already exists with this image.");
  expect(err).toContain("Release 1 already exists and keeps its notes.");
  expect(err).not.toContain("Uploading");
  expect(out).toContain("is offered to 100 %");
  expect((await run(["list"])).out.split("\n")).toHaveLength(2);
});

test("§8 an interrupted upload continues when the command is repeated", async () => {
  const setup = await setUp(randomBytes(3_000_000));
  let cuts = 0;
  const proxy = await listen((incoming, outgoing) => {
    const target = httpRequest(setup.url + incoming.url, {
      method: incoming.method ?? "GET",
      headers: incoming.headers,
    });
    target.on("error", () => outgoing.destroy());
    target.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    if (incoming.method === "PUT" && cuts++ === 0) {
      incoming.once("data", () => incoming.destroy());
      incoming.on("close", () => target.destroy());
    }
    incoming.pipe(target);
  });
  const first = await setup.publish("--url", proxy);
  expect(first.exitCode).toBe(3);
  expect(first.err).toContain("Run the same command again");
  const second = await setup.publish("--url", proxy);
  expect(second).toMatchObject({ exitCode: 0, out: expect.stringContaining("is offered") });
});

test("§8 another image for the same version is rejected", async () => {
  const { publish, folder } = await setUp();
  await publish();
  await writeFile(join(folder, "app.bin"), "another");
  const { exitCode, err } = await publish();
  expect(exitCode).toBe(1);
  expect(err).toContain("release_exists");
});

test("§8 a paused release is not resumed by publishing it again", async () => {
  const { publish, run } = await setUp();
  await publish();
  expect((await run(["pause", "1"])).out).toContain("is paused");
  expect(await publish()).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("device-gateway firmware resume 1"),
  });
  expect((await run(["resume", "1"])).out).toContain("is active");
  expect((await run(["rollout", "1", "25%"])).out).toContain("25 % on stable");
  expect((await run(["withdraw", "1"])).out).toContain("is withdrawn");
  expect((await run(["resume", "1"])).exitCode).toBe(1);
});

/** Registers a device and checks for firmware. */
async function registerDevice(url: string, hardwareId: string) {
  const client = createDeviceClient({ baseUrl: url });
  const identity = { hardwareId, firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
  (await client.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  (await client.call("readLatestFirmware", {}))._unsafeUnwrap();
  return client;
}

test("§8 --url accepts the address of the API as well as the origin", async () => {
  const { run, url } = await setUp();
  for (const address of [`${url}/api/v1`, `${url}/api/v1/`, `${url}/`]) {
    const environment = { DEVICE_GATEWAY_URL: address, DEVICE_GATEWAY_TOKEN: "operator" };
    expect((await run(["list"], { environment })).err).toContain("There are no releases");
    expect((await run(["list", "--url", address])).err).toContain("There are no releases");
  }
});

test("§8 status uses the singular for one device", async () => {
  const { publish, run, url } = await setUp();
  await publish();
  const device = await registerDevice(url, "esp32dev");
  const report = { state: "downloading", version: "1.4.0" } as const;
  (await device.call("reportUpdate", { body: report }))._unsafeUnwrap();
  expect((await run(["status", "1"])).out).toMatch(/downloading +1 device$/m);
});

test.each([
  [{ code: "unknown_key" }, "it is signed with a key that the device does not have (unknown_key)"],
  [{ code: "E17", message: "No room." }, "No room (E17)"],
  [{ code: "E17" }, "E17"],
])("§8 explain says why a device refused a release: %j", async (why, reason) => {
  const { publish, run, url } = await setUp();
  await publish();
  const device = await registerDevice(url, "esp32dev");
  const report = { state: "rejected", version: "1.4.0", ...why } as const;
  (await device.call("reportUpdate", { body: report }))._unsafeUnwrap();
  const { out } = await run(["explain", "1", "gw-1"]);
  expect(out).toMatch(/^Its update: rejected since .*, 1 failure\.$/m);
  expect(out).toContain(`Its last failure: ${reason}.`);
});

test("§8 the error for an unknown device is written for an operator", async () => {
  const { publish, run } = await setUp();
  await publish();
  const { exitCode, err } = await run(["explain", "1", "gw-9"]);
  expect({ exitCode, err }).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('There is no device "gw-9".'),
  });
  expect(err).not.toContain("claim");
});

test("§8 list shows releases, and explain says why a device is not offered one", async () => {
  const { publish, run, url } = await setUp();
  expect((await run(["list"])).err).toContain("There are no releases");
  await publish();
  expect((await run(["list", "--target", "esp32dev"])).out).toMatch(/^1 +1\.4\.0 \* +esp32dev/m);
  await registerDevice(url, "esp32c3");
  const { out } = await run(["explain", "1", "gw-1"]);
  expect(out).toContain("gw-1 is not offered the release:");
  expect(out).toContain("other_hardware");
});

test("§8 the device commands set what a device is offered, and end and restore its access", async () => {
  const { url } = await setUp();
  await registerDevice(url, "esp32dev");
  const environment = { DEVICE_GATEWAY_URL: url, DEVICE_GATEWAY_TOKEN: "operator" };
  const outOf = async (...args: string[]) => {
    const { exitCode, out, err } = await runCli(["device", ...args], { environment });
    return exitCode === 0 ? out : `${exitCode}: ${err}`;
  };
  expect(await outOf("channel", "gw-1", "beta")).toBe("gw-1: channel beta, not pinned.");
  expect(await outOf("pin", "gw-1", "1.4.0")).toBe("gw-1: channel beta, pinned to 1.4.0.");
  expect(await outOf("unpin", "gw-1")).toBe("gw-1: channel beta, not pinned.");
  expect(await outOf("bench", "gw-1")).toContain("on the test bench");
  expect(await outOf("unbench", "gw-1")).not.toContain("bench");
  expect(await outOf("clear-block", "gw-1")).toBe("gw-1: no release is blocked.");
  expect(await outOf("revoke", "gw-1")).toBe("gw-1: revoked.");
  expect(await outOf("reinstate", "gw-1")).toContain("gw-1: reinstated.");
  expect(await outOf("clear-block", "gw-9")).toContain('1: There is no device "gw-9".');
  expect(await outOf("pin", "gw-1", "latest")).toContain("pinnedVersion");
});

test.each([
  [["--token", "nobody"], 1, "rejected the token"],
  [["--token", "customer"], 1, "does not belong to an operator"],
  [
    ["--url", "http://127.0.0.1:1"],
    3,
    "fetch failed (bad port). Check --url, and that the server is running.",
  ],
  [
    ["--key-id", "unknown"],
    1,
    'no public key "unknown". Put unknown.public.pem into the folder firmware-keys',
  ],
  [["--key-id", "unknown"], 1, "unknown_signing_key"],
  [["--version", "1.4"], 2, "major.minor.patch"],
  [["--rollout", "101"], 2, "from 0 to 100"],
  [["--key", "nowhere.pem"], 1, "firmware keygen"],
  [["--min-version", "2.0.0"], 1, "lower than the release's version"],
])("%j fails with a message that says what to do", async (more, exitCode, sentence) => {
  const { publish } = await setUp();
  const run = await publish(...more);
  expect(run.err).toContain(sentence);
  expect(run).toMatchObject({ exitCode, out: "" });
});

test("an unreadable or empty image is rejected", async () => {
  const { publish, folder } = await setUp();
  await writeFile(join(folder, "app.bin"), "");
  expect((await publish()).err).toContain("is empty");
  const { err } = await runCli([
    ...["firmware", "publish", folder, "--version", "1.4.0", "--target", "x", "--key", "k"],
    ...["--url", "http://127.0.0.1:1", "--token", "t"],
  ]);
  expect(err).toContain("is not a file");
});

test("publish warns of an ESP32 image that contains another version", async () => {
  const { publish, folder } = await setUp();
  const image = Buffer.alloc(512, 0xff);
  image[0] = 0xe9;
  image.writeUInt32LE(0xabcd5432, 32);
  image.write("v1.3.0\0", 48, "latin1");
  image.write("gateway\0", 80, "latin1");
  await writeFile(join(folder, "app.bin"), image);
  expect((await publish("--draft")).err).toContain("The image contains gateway v1.3.0, not 1.4.0");
  const right = await setUp();
  image.write("v1.4.0\0", 48, "latin1");
  await writeFile(join(right.folder, "app.bin"), image);
  expect((await right.publish("--draft")).err).not.toContain("Warning");
});
