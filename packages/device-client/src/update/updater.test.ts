import { expect, test } from "vitest";
import { bodyOf, type Intercept } from "../testing/release-server.js";
import { sha256Of } from "../testing/signing.js";
import { createUpdateBench, goodStates } from "../testing/update-bench.js";

const minute = 60_000;

/** Responds to the first downloads in place of the server. */
const downloads =
  (...answers: (() => Response)[]): Intercept =>
  ({ path }) =>
    path.startsWith("/ota/firmware") ? answers.shift()?.() : undefined;

test("§6 an update runs from the check to its confirmation, and reports each state", async () => {
  const { device, server, publish, runUntilIdle, running } = createUpdateBench();
  const image = publish("1.4.0", { size: 400_000 });
  expect(await runUntilIdle()).toEqual({ kind: "refused", version: "1.4.0", code: "not_newer" });
  expect(device.installed).toEqual([sha256Of(image)]);
  expect(server.states()).toEqual([...goodStates, "rejected"]);
  expect(running()).toBe("1.4.0");
});

test("§6 without an offer, the updater does nothing", async () => {
  const { server, runUntilIdle } = createUpdateBench();
  expect(await runUntilIdle()).toEqual({ kind: "up_to_date" });
  expect(server.reports).toEqual([]);
});

test("§6 an interrupted download of the same image resumes", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  const headers = { etag: '"1.4.0"', "content-length": "200000" };
  server.intercept = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers }),
  );
  await runUntilIdle();
  const ranges = server.requests
    .filter(({ path }) => path.startsWith("/ota/firmware"))
    .map((request) => [request.headers.get("range"), request.headers.get("if-range")]);
  expect(ranges).toEqual([
    [null, null],
    ["bytes=90000-", '"1.4.0"'],
  ]);
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 a changed image is downloaded from the beginning", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  const other = new Uint8Array(90_000);
  const headers = { etag: '"other"', "content-length": "200000" };
  server.intercept = downloads(() => new Response(bodyOf(other, "break"), { headers }));
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 an update fails if the image changes at every attempt", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  let tries = 0;
  server.intercept = ({ path }) => {
    if (!path.startsWith("/ota/firmware")) return undefined;
    const headers = { etag: `"${tries++}"`, "content-length": "200000" };
    return new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers });
  };
  expect(await runUntilIdle()).toMatchObject({ kind: "failed", code: "image_keeps_changing" });
  expect(tries).toBe(5);
  expect(device.installed).toEqual([]);
});

test("§6 if the server cannot serve a range, the download starts again", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  const headers = { etag: '"1.4.0"' };
  server.intercept = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers }),
    () => new Response(null, { status: 416 }),
  );
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 a body that never ends is read up to the size of the image", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  server.intercept = downloads(() => new Response(bodyOf(image, "go_on")));
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 a stalled connection times out and the download resumes", async () => {
  const { device, server, clock, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  const stalled = () => clock.advance(minute);
  const headers = { etag: '"1.4.0"' };
  server.intercept = downloads(
    () => new Response(bodyOf(image.subarray(0, 70_000), "stall", stalled), { headers }),
  );
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 connections without data fail the update, and each pause is longer", async () => {
  const { device, server, clock, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0");
  let tries = 0;
  server.intercept = ({ path }) => {
    if (!path.startsWith("/ota/firmware")) return undefined;
    tries++;
    return new Response(bodyOf(new Uint8Array(), "break"));
  };
  const pauses: number[] = [];
  for (let run = 0; run < 4; run++) {
    expect(await runUntilIdle()).toMatchObject({ kind: "failed", code: "download_failed" });
    const held = await runUntilIdle();
    expect(held).toMatchObject({ kind: "held", version: "1.4.0" });
    const pause =
      held !== "power cut" && held.kind === "held" ? (held.until ?? 0) - clock.now() : 0;
    pauses.push(pause / minute);
    clock.advance(pause);
  }
  expect(tries).toBe(4 * 5);
  expect(pauses).toEqual([1, 15, 24 * 60, 24 * 60]);
  expect(device.installed).toEqual([]);
});

test.each([
  ["another Content-Length", { "content-length": "199999" }, 200, "wrong_length"],
  ["a Content-Encoding", { "content-encoding": "zstd" }, 200, "encoded"],
  ["another hash", { "x-firmware-sha256": "0".repeat(64) }, 200, "hash_mismatch"],
  ["a range that was not requested", { "content-range": "bytes 0-9/200000" }, 206, "wrong_range"],
  ["status 403", {}, 403, "unexpected_answer"],
])("§6 a download with %s is refused before its first byte", async (_, headers, status, code) => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  server.intercept = downloads(() => new Response(bodyOf(image), { status, headers }));
  expect(await runUntilIdle()).toMatchObject({ kind: "failed", code });
  expect(device.installed).toEqual([]);
});

test("§6 a wrong image is never installed", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0");
  const bytes = server.image?.bytes.slice() ?? new Uint8Array();
  bytes[150_000] = (bytes[150_000] ?? 0) ^ 1;
  server.image = { bytes, etag: '"1.4.0"' };
  expect(await runUntilIdle()).toMatchObject({ kind: "failed", code: "hash_mismatch" });
  expect(device.installed).toEqual([]);
  expect(server.states().at(-1)).toBe("failed");
});

test("§6 an image that fails its self-test is rolled back, reported and never tried again", async () => {
  const { device, server, publish, runUntilIdle, running } = createUpdateBench();
  publish("1.4.0", { behaviour: "fails_self_test" });
  expect(await runUntilIdle()).toEqual({ kind: "held", version: "1.4.0", until: null });
  expect(running()).toBe("1.0.0");
  expect(server.reports.at(-1)).toMatchObject({
    state: "rolled_back",
    code: "self_test_failed",
    message: "The sensor does not answer.",
  });
  expect(await runUntilIdle()).toMatchObject({ kind: "held" });
  expect(device.installed).toHaveLength(1);
});

test("§6 an image that crashes is rolled back by the bootloader, reported and never tried again", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  publish("1.4.0", { behaviour: "crashes" });
  expect(await runUntilIdle()).toEqual({ kind: "held", version: "1.4.0", until: null });
  expect(server.reports.at(-1)).toMatchObject({ state: "rolled_back", code: "not_confirmed" });
  expect(device.installed).toHaveLength(1);
});

test("§6 after a roll-back, a later release is installed", async () => {
  const { publish, runUntilIdle, running } = createUpdateBench();
  publish("1.4.0", { behaviour: "crashes" });
  await runUntilIdle();
  publish("1.4.1");
  await runUntilIdle();
  expect(running()).toBe("1.4.1");
});

test("§6 a release that is withdrawn during its download is cancelled", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const image = publish("1.4.0");
  server.intercept = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break")),
    () => new Response(null, { status: 503, headers: { "retry-after": "7" } }),
  );
  expect(await runUntilIdle()).toMatchObject({ kind: "later", retryAfterSeconds: 7 });
  server.offer = null;
  expect(await runUntilIdle()).toMatchObject({ kind: "cancelled", version: "1.4.0" });
  expect(server.states().at(-1)).toBe("cancelled");
  expect(device.installed).toEqual([]);
});

test("§6 a release that is replaced during its download is cancelled for the new one", async () => {
  const { device, server, publish, runUntilIdle } = createUpdateBench();
  const old = publish("1.4.0");
  server.intercept = downloads(
    () => new Response(bodyOf(old.subarray(0, 90_000), "break")),
    () => new Response(null, { status: 503 }),
  );
  await runUntilIdle();
  const image = publish("1.4.1");
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
  expect(server.states()).toContain("cancelled");
});

test("§2 an expired token is renewed once, and never goes to another origin", async () => {
  const { server, publish, runUntilIdle, device } = createUpdateBench();
  const image = publish("1.4.0");
  if (server.offer) server.offer = { ...server.offer, downloadUrl: "https://cdn.test/image" };
  let refused = 0;
  server.intercept = ({ path }) => {
    if (path === "https://cdn.test/image") return new Response(bodyOf(image));
    if (path === "/ota/latest" && refused++ === 0) return new Response(null, { status: 401 });
    return undefined;
  };
  await runUntilIdle();
  expect(device.installed).toEqual([sha256Of(image)]);
  for (const { path, headers } of server.requests) {
    expect(headers.get("authorization")).toBe(path.startsWith("/ota") ? "Bearer token" : null);
  }
});

test("the message for an unreachable server has the runtime's own reason", async () => {
  const { server, runUntilIdle } = createUpdateBench();
  const cause = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  server.intercept = () => Promise.reject(new TypeError("fetch failed", { cause }));
  expect(await runUntilIdle()).toEqual({ kind: "later", message: "fetch failed (ECONNREFUSED)" });
});

test("an unreachable server or an unexpected response is tried again later", async () => {
  const { server, runUntilIdle } = createUpdateBench();
  const answers = [
    () => Promise.reject(new Error("No route to host.")),
    () => new Response("<html>", { status: 200 }),
    () => Response.json({ updateAvailable: true }),
    () => new Response(bodyOf(new Uint8Array(), "go_on")),
    () => new Response(null, { status: 429, headers: { "retry-after": "30" } }),
  ];
  for (const answer of answers) {
    server.intercept = answer;
    expect(await runUntilIdle()).toMatchObject({ kind: "later" });
  }
});

test("a response that drips for longer than the time-out is tried again later", async () => {
  const { server, clock, runUntilIdle } = createUpdateBench();
  const bytes = new TextEncoder().encode('{"updateAvailable":false}');
  let at = 0;
  const drip = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        // Each byte arrives in time.
        clock.advance(20_000);
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + 1));
        else controller.close();
        at += 1;
      },
    },
    { highWaterMark: 0 },
  );
  server.intercept = ({ path }) => (path === "/ota/latest" ? new Response(drip) : undefined);
  expect(await runUntilIdle()).toEqual({ kind: "later", message: "Timed out after 30 s." });
});

// The date is also that of a server for a device whose clock is many years behind.
test.each(["999999999", "Fri, 01 Jan 2100 00:00:00 GMT"])(
  "an updater waits at most an hour, whatever the server asks for: Retry-After: %s",
  async (retryAfter) => {
    const { server, publish, runUntilIdle } = createUpdateBench();
    publish("1.4.0");
    const headers = { "retry-after": retryAfter };
    for (const busy of ["/ota/latest", "/ota/firmware/1"]) {
      server.intercept = ({ path }) =>
        path === busy ? new Response(null, { status: 503, headers }) : undefined;
      expect(await runUntilIdle()).toMatchObject({ kind: "later", retryAfterSeconds: 3_600 });
    }
  },
);

test("an image on trial whose stored state is lost is confirmed after its self-test", async () => {
  const { device, publish, runUntilIdle, running } = createUpdateBench();
  publish("2.0.0");
  device.eraseStateOnTrial();
  expect(await runUntilIdle()).toMatchObject({ kind: "refused", code: "not_newer" });
  expect(device.isOnTrial).toBe(false);
  expect(running()).toBe("2.0.0");
});

test("an image that fails its self-test after its state was lost does not prevent a lower version", async () => {
  const { device, publish, runUntilIdle, running } = createUpdateBench();
  publish("2.0.0", { behaviour: "fails_self_test" });
  device.eraseStateOnTrial();
  expect(await runUntilIdle()).toMatchObject({ kind: "refused", code: "not_newer" });
  expect(device.isOnTrial).toBe(true);
  // The next start rolls back.
  publish("1.5.0");
  await runUntilIdle();
  expect(running()).toBe("1.5.0");
});
