import { expect, test } from "vitest";
import { bodyOf, type Meddle } from "../testing/release-server.js";
import { sha256Of } from "../testing/signing.js";
import { createUpdateBench } from "../testing/update-bench.js";

const minute = 60_000;
const good = [
  "downloading",
  "downloading 25",
  "downloading 50",
  "downloading 75",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
  "succeeded 100",
];

/** Answers the first downloads in the server's place. */
const downloads =
  (...answers: (() => Response)[]): Meddle =>
  ({ path }) =>
    path.startsWith("/ota/firmware") ? answers.shift()?.() : undefined;

test("§6 an update runs from the check to its confirmation, and each state is told", async () => {
  const { device, server, publish, live, running } = createUpdateBench();
  const image = publish("1.4.0", { size: 400_000 });
  expect(await live()).toEqual({ kind: "refused", version: "1.4.0", code: "not_newer" });
  expect(device.installed).toEqual([sha256Of(image)]);
  expect(server.states()).toEqual([...good, "rejected"]);
  expect(running()).toBe("1.4.0");
});

test("§6 nothing offered: nothing done", async () => {
  const { server, live } = createUpdateBench();
  expect(await live()).toEqual({ kind: "up_to_date" });
  expect(server.reports).toEqual([]);
});

test("§6 a cut download goes on where it stood, of the same image only", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  const headers = { etag: '"1.4.0"', "content-length": "200000" };
  server.meddle = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers }),
  );
  await live();
  const ranges = server.requests
    .filter(({ path }) => path.startsWith("/ota/firmware"))
    .map((request) => [request.headers.get("range"), request.headers.get("if-range")]);
  expect(ranges).toEqual([
    [null, null],
    ["bytes=90000-", '"1.4.0"'],
  ]);
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 a changed image is downloaded from its beginning", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  const other = new Uint8Array(90_000);
  const headers = { etag: '"other"', "content-length": "200000" };
  server.meddle = downloads(() => new Response(bodyOf(other, "break"), { headers }));
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 an image that changes at every try is given up", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  let tries = 0;
  server.meddle = ({ path }) => {
    if (!path.startsWith("/ota/firmware")) return undefined;
    const headers = { etag: `"${tries++}"`, "content-length": "200000" };
    return new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers });
  };
  expect(await live()).toMatchObject({ kind: "failed", code: "image_keeps_changing" });
  expect(tries).toBe(5);
  expect(device.installed).toEqual([]);
});

test("§6 a range that the server can't serve is asked for from the beginning", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  const headers = { etag: '"1.4.0"' };
  server.meddle = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break"), { headers }),
    () => new Response(null, { status: 416 }),
  );
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 what never ends is read up to the image's size", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  server.meddle = downloads(() => new Response(bodyOf(image, "go_on")));
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 a connection that stands still is given up after its time, and taken up again", async () => {
  const { device, server, clock, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  const stalled = () => clock.advance(minute);
  const headers = { etag: '"1.4.0"' };
  server.meddle = downloads(
    () => new Response(bodyOf(image.subarray(0, 70_000), "stall", stalled), { headers }),
  );
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
});

test("§6 connections that bring nothing are given up, and tried again later and later", async () => {
  const { device, server, clock, publish, live } = createUpdateBench();
  publish("1.4.0");
  let tries = 0;
  server.meddle = ({ path }) => {
    if (!path.startsWith("/ota/firmware")) return undefined;
    tries++;
    return new Response(bodyOf(new Uint8Array(), "break"));
  };
  const pauses: number[] = [];
  for (let run = 0; run < 4; run++) {
    expect(await live()).toMatchObject({ kind: "failed", code: "download_failed" });
    const held = await live();
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
  ["another length", { "content-length": "199999" }, 200, "wrong_length"],
  ["an encoding", { "content-encoding": "zstd" }, 200, "encoded"],
  ["another hash", { "x-firmware-sha256": "0".repeat(64) }, 200, "hash_mismatch"],
  ["a part that nobody asked for", { "content-range": "bytes 0-9/200000" }, 206, "wrong_range"],
  ["a refusal", {}, 403, "unexpected_answer"],
])("§6 a download with %s is refused before its first byte", async (_, headers, status, code) => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  server.meddle = downloads(() => new Response(bodyOf(image), { status, headers }));
  expect(await live()).toMatchObject({ kind: "failed", code });
  expect(device.installed).toEqual([]);
});

test("§6 a wrong image is never installed", async () => {
  const { device, server, publish, live } = createUpdateBench();
  publish("1.4.0");
  const bytes = server.image?.bytes.slice() ?? new Uint8Array();
  bytes[150_000] = (bytes[150_000] ?? 0) ^ 1;
  server.image = { bytes, etag: '"1.4.0"' };
  expect(await live()).toMatchObject({ kind: "failed", code: "hash_mismatch" });
  expect(device.installed).toEqual([]);
  expect(server.states().at(-1)).toBe("failed");
});

test("§6 an image that fails its self-test is rolled back, told of, and never tried again", async () => {
  const { device, server, publish, live, running } = createUpdateBench();
  publish("1.4.0", { habit: "fails_self_test" });
  expect(await live()).toEqual({ kind: "held", version: "1.4.0", until: null });
  expect(running()).toBe("1.0.0");
  expect(server.reports.at(-1)).toMatchObject({
    state: "rolled_back",
    code: "self_test_failed",
    message: "The sensor does not answer.",
  });
  expect(await live()).toMatchObject({ kind: "held" });
  expect(device.installed).toHaveLength(1);
});

test("§6 an image that crashes is rolled back by the bootloader, told of, and never tried again", async () => {
  const { device, server, publish, live } = createUpdateBench();
  publish("1.4.0", { habit: "crashes" });
  expect(await live()).toEqual({ kind: "held", version: "1.4.0", until: null });
  expect(server.reports.at(-1)).toMatchObject({ state: "rolled_back", code: "not_confirmed" });
  expect(device.installed).toHaveLength(1);
});

test("§6 after a roll-back a later release is taken", async () => {
  const { publish, live, running } = createUpdateBench();
  publish("1.4.0", { habit: "crashes" });
  await live();
  publish("1.4.1");
  await live();
  expect(running()).toBe("1.4.1");
});

test("§6 a release that is withdrawn during its download is dropped", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const image = publish("1.4.0");
  server.meddle = downloads(
    () => new Response(bodyOf(image.subarray(0, 90_000), "break")),
    () => new Response(null, { status: 503, headers: { "retry-after": "7" } }),
  );
  expect(await live()).toMatchObject({ kind: "later", retryAfterSeconds: 7 });
  server.offer = null;
  expect(await live()).toMatchObject({ kind: "cancelled", version: "1.4.0" });
  expect(server.states().at(-1)).toBe("cancelled");
  expect(device.installed).toEqual([]);
});

test("§6 a release that is replaced during its download gives way to the other", async () => {
  const { device, server, publish, live } = createUpdateBench();
  const old = publish("1.4.0");
  server.meddle = downloads(
    () => new Response(bodyOf(old.subarray(0, 90_000), "break")),
    () => new Response(null, { status: 503 }),
  );
  await live();
  const image = publish("1.4.1");
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
  expect(server.states()).toContain("cancelled");
});

test("§6 reports wait for the server, over restarts, and come in order", async () => {
  const { device, server, publish, live } = createUpdateBench();
  publish("1.4.0");
  server.meddle = ({ path }) =>
    path === "/ota/events" ? new Response(null, { status: 503 }) : undefined;
  await live();
  expect(server.reports).toEqual([]);
  expect(device.installed).toHaveLength(1);
  server.meddle = null;
  server.offer = null;
  await live();
  const told = server.states().filter((state) => !state.startsWith("downloading "));
  expect(told).toEqual([
    "downloading",
    "downloaded",
    "verified",
    "installing",
    "rebooting",
    "succeeded 100",
    "rejected",
  ]);
});

test("§6 after a report that can't be delivered none is tried until the next run", async () => {
  const { server, publish, live } = createUpdateBench();
  publish("1.4.0", { size: 400_000 });
  server.meddle = ({ path }) =>
    path === "/ota/events" ? new Response(null, { status: 503 }) : undefined;
  await live();
  const tries = server.requests.filter(({ path }) => path === "/ota/events");
  // One before the restart, one after it.
  expect(tries).toHaveLength(2);
  server.meddle = null;
  await live();
  expect(server.states()).toEqual([...good, "rejected"]);
});

test("§6 a new image proves itself before it tells of what waits", async () => {
  const { device, server, publish, live, running } = createUpdateBench();
  publish("1.4.0");
  const told: boolean[] = [];
  server.meddle = ({ path }) => {
    if (path !== "/ota/events") return undefined;
    told.push(device.isOnTrial);
    return new Response(null, { status: 503 });
  };
  await live();
  expect(running()).toBe("1.4.0");
  expect(told).toEqual([false, false]);
});

test("§6 a report that the server will never take is dropped", async () => {
  const { server, publish, live } = createUpdateBench();
  publish("1.4.0");
  let refusals = 0;
  server.meddle = ({ path }) => {
    if (path !== "/ota/events" || refusals++ > 0) return undefined;
    return new Response(null, { status: 400 });
  };
  await live();
  expect(server.states()[0]).toBe("downloading 25");
});

test("§2 an expired token is renewed once, and never goes to another origin", async () => {
  const { server, publish, live, device } = createUpdateBench();
  const image = publish("1.4.0");
  if (server.offer) server.offer = { ...server.offer, downloadUrl: "https://cdn.test/image" };
  let refused = 0;
  server.meddle = ({ path }) => {
    if (path === "https://cdn.test/image") return new Response(bodyOf(image));
    if (path === "/ota/latest" && refused++ === 0) return new Response(null, { status: 401 });
    return undefined;
  };
  await live();
  expect(device.installed).toEqual([sha256Of(image)]);
  for (const { path, headers } of server.requests) {
    expect(headers.get("authorization")).toBe(path.startsWith("/ota") ? "Bearer token" : null);
  }
});

test("a server that is down is told of with the runtime's own reason", async () => {
  const { server, live } = createUpdateBench();
  const cause = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  server.meddle = () => Promise.reject(new TypeError("fetch failed", { cause }));
  expect(await live()).toEqual({ kind: "later", message: "fetch failed (ECONNREFUSED)" });
});

test("a server that is down, or talks nonsense, is tried later", async () => {
  const { server, live } = createUpdateBench();
  const answers = [
    () => Promise.reject(new Error("No route to host.")),
    () => new Response("<html>", { status: 200 }),
    () => Response.json({ updateAvailable: true }),
    () => new Response(bodyOf(new Uint8Array(), "go_on")),
    () => new Response(null, { status: 429, headers: { "retry-after": "30" } }),
  ];
  for (const answer of answers) {
    server.meddle = answer;
    expect(await live()).toMatchObject({ kind: "later" });
  }
});
