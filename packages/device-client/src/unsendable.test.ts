import { expect, test, vi } from "vitest";
import { createDevice } from "./device/device.js";
import { createDeviceClient } from "./device-client.js";
import { runCli } from "./testing/run-cli.js";
import { createWaitingClock } from "./testing/waiting-clock.js";
import { createUpdateNetwork } from "./update/network/update-network.js";
import { createUserClient } from "./user/user-client.js";

const baseUrl = "http://gateway.test";
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

/** A `fetch` that fails as that of Node does: its message has the value of an invalid header. */
const startFetch = () =>
  vi.fn(async (url: string, init: RequestInit) => {
    new Request(url, init);
    return new Response(null, { status: 503 });
  });

test.each(["secret\nsecond line", "secret second", "sécret", "\u0000secret"])(
  "the error for a malformed token does not contain it: %j",
  async (token) => {
    const fetch = startFetch();
    const client = createUserClient({ baseUrl, fetch, token });
    const error = (await client.listDevices())._unsafeUnwrapErr();
    expect(error.code).toBe("unsendable");
    expect(error.message).toMatch(/^The token has a space, a line break or another character/);
    expect(JSON.stringify(error)).not.toMatch(/s.cret/);
    expect(fetch).not.toHaveBeenCalled();
  },
);

test("the updater's message for a malformed token does not contain it", async () => {
  const tokens = { current: () => "secret\nsecond", renew: async () => {} };
  const clock = createWaitingClock();
  const apiUrl = `${baseUrl}/api/v1`;
  const network = createUpdateNetwork({ apiUrl, fetch: startFetch(), tokens, clock });
  const checked = await network.check("1.0.0");
  expect(checked).toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/^The token has/),
  });
});

test("a malformed operator token is a wrong command line, and no output contains it", async () => {
  const environment = { DEVICE_GATEWAY_URL: baseUrl, DEVICE_GATEWAY_TOKEN: "secret\nsecond" };
  const run = await runCli(["firmware", "list"], { environment, fetch: startFetch() });
  expect(run).toMatchObject({ exitCode: 2, out: "" });
  expect(run.err).toMatch(/^The token has/);
  expect(run.err).not.toContain("secret");
});

test.each([
  [{ body: { n: 5n } }, /BigInt/],
  [{ body: cycle }, /circular/],
  [{ body: { n: 1 }, headers: { "idempotency-key": "a\nb" } }, /idempotency-key/],
])("a request that cannot be built is not sent or repeated: %#", async (request, reason) => {
  const fetch = startFetch();
  const sleep = vi.fn(async () => {});
  const device = createDevice({
    ...{
      baseUrl,
      sleep,
      identity: { deviceId: "gw-1", hardwareId: "x", firmwareVersion: "1.0.0" },
    },
    fetch: async (url, init) =>
      url.endsWith("/device/register")
        ? Response.json(registered, { status: 201 })
        : fetch(url, init),
  });
  const error = (await device.call("sendTelemetry", request as never))._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "unsendable" });
  expect(error.message).toMatch(reason);
  expect([fetch.mock.calls, sleep.mock.calls]).toEqual([[], []]);
});

test("a path parameter that is not text is not sent", async () => {
  const fetch = startFetch();
  const client = createDeviceClient({ baseUrl, fetch });
  const request = { params: { releaseId: "\ud800" } };
  const error = (await client.call("downloadFirmware", request))._unsafeUnwrapErr();
  expect(error.code).toBe("unsendable");
  expect(fetch).not.toHaveBeenCalled();
});

const registered = {
  ...{ deviceId: "gw-1", token: "t", tokenType: "Bearer", expiresIn: 60, expiresAt: "" },
  ...{ configVersion: "1", config: {}, deviceSecret: "s" },
};
