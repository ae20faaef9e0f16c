import { beforeAll, expect, it } from "vitest";
import { createCDevice } from "./c-device.js";
import { startScriptedServer } from "./scripted-server.js";
import { describeInC, makeDevice } from "./tool-chain.js";

const registered = { body: { token: "t1", deviceSecret: "the-first-secret" } };
const accepted = { status: 202, body: { status: "accepted" } };
const portal = "<html>Log in to the Wi-Fi</html>";
const forbidden = { status: 403, body: portal };
/** Responses that do not come from the API. */
const foreign = [
  { status: 200, body: portal },
  { status: 200, body: {} },
  { status: 200, body: { status: "login_required" } },
  { status: 302, body: portal },
  forbidden,
  { status: 404, body: { message: "no Route matched" } },
  { status: 400, body: { code: "request_too_large", detail: "Send less." } },
];
/** An error of the API. */
const problem = (status: number, code: string) => ({
  status,
  body: { code, detail: "No.", requestId: "r1" },
});
const notFound = problem(404, "not_found");
/** The response to a request for commands. */
const commands = (...ids: readonly string[]) => ({
  body: {
    commands: ids.map((commandId) => ({
      ...{ commandId, name: "blink", expiresInSeconds: 60, payload: {} },
    })),
  },
});
/** An offer that the device refuses, and reports as `rejected`. */
const offer = (version: string) => ({
  body: {
    ...{ updateAvailable: true, version, targetHardware: "another", size: 1 },
    ...{ releasedAt: "2026-02-01T00:00:00Z", sha256: "0".repeat(64), signature: "AA==" },
    ...{ signingKeyId: "release-2026", downloadUrl: "http://127.0.0.1/image" },
  },
});

describeInC("reports of the C client", () => {
  beforeAll(makeDevice);

  it("§6 keeps the report of an update until the API has accepted it", async () => {
    const passing = [
      ...foreign,
      notFound,
      problem(405, "method_not_allowed"),
      problem(503, "unavailable"),
    ];
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/ota/latest": [offer("1.1.0")],
      "/ota/events": [...passing, accepted],
    });
    const device = await createCDevice();
    await device.run(Array(passing.length + 3).fill("update"), { url: server.url });
    const reports = server.bodiesOf("/ota/events").map((body) => JSON.parse(body));
    expect(reports).toHaveLength(passing.length + 1);
    expect(reports[0]).toMatchObject({ state: "rejected", code: "wrong_target" });
    expect(new Set(server.bodiesOf("/ota/events")).size).toBe(1);
  });

  it("§6 gives up the report of an update that the API refuses, also with a code of a later version", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/ota/latest": ["1.1.0", "1.2.0", "1.3.0"].map(offer),
      "/ota/events": [problem(400, "invalid_request"), problem(422, "of_the_future"), accepted],
    });
    const device = await createCDevice();
    await device.run(Array(4).fill("update"), { url: server.url });
    const reports = server.bodiesOf("/ota/events").map((body) => JSON.parse(body).version);
    expect(reports).toEqual(["1.1.0", "1.2.0", "1.3.0"]);
  });

  it("§11 keeps the report of a command until the API has accepted it", async () => {
    const passing = [
      ...foreign.filter(({ status }) => status < 400),
      ...[401, 407, 408].map((status) => ({ status, body: portal })),
    ];
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/login": [{ body: { token: "t2" } }],
      "/device/commands": [commands("c1"), commands()],
      "/device/commands/c1/result": [...passing, accepted],
    });
    const device = await createCDevice();
    // After the 401, the same poll sends the report again with a new token.
    const polls = Array(passing.length + 1).fill("poll");
    const { results } = await device.run(["command=0", ...polls], { url: server.url });
    expect(results("command")).toMatchObject([{ status: "unexpected_answer", http: 200 }]);
    expect(results("poll").map(({ status }) => status)).toEqual([
      ...Array(passing.length - 2).fill("unexpected_answer"),
      ...["ok", "ok", "ok"],
    ]);
    const reports = server.bodiesOf("/device/commands/c1/result");
    expect(reports).toHaveLength(passing.length + 1);
    expect(new Set(reports).size).toBe(1);
  });

  it.each([403, 413])("sends a report briefly if a proxy repeats its %i", async (status) => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [commands("c1"), commands()],
      "/device/commands/c1/result": [...Array(3).fill({ status, body: portal }), accepted],
    });
    const device = await createCDevice();
    const { results } = await device.run(["command=0", "poll"], { url: server.url });
    expect(results("command")).toMatchObject([{ status: "unexpected_answer", http: status }]);
    expect(results("poll")).toMatchObject([{ status: "ok" }]);
    const whole = { status: "done", result: { times: 1 }, message: "ok" };
    const reports = server.bodiesOf("/device/commands/c1/result");
    expect(reports.map((body) => JSON.parse(body))).toEqual([
      ...Array(3).fill(whole),
      { status: "done" },
    ]);
  });

  it.each([
    { refusal: forbidden, name: "a proxy's 403", status: "unexpected_answer", times: 1 },
    { refusal: forbidden, name: "a proxy's 403", status: "unexpected_answer", times: 2 },
    { refusal: notFound, name: "the server's 404 not_found", status: "refused", times: 1 },
    { refusal: notFound, name: "the server's 404 not_found", status: "refused", times: 2 },
  ])("sends a report whole if it gets $name $times times", async ({ refusal, status, times }) => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [commands("c1"), commands("c2")],
      "/device/commands/c1/result": [...Array(times).fill(refusal), accepted],
    });
    const device = await createCDevice();
    const { results } = await device.run(["command=0", "poll"], { url: server.url });
    expect(results("command")).toMatchObject([{ status, http: refusal.status }]);
    expect(results("poll")).toMatchObject([{ status: "ok", name: "blink" }]);
    const reports = server.bodiesOf("/device/commands/c1/result");
    expect(reports).toHaveLength(times + 1);
    expect(new Set(reports).size).toBe(1);
  });

  it("keeps the whole report while a proxy refuses requests for commands too", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [commands("c1"), forbidden, forbidden, commands("c2")],
      "/device/commands/c1/result": [forbidden, forbidden, forbidden, accepted],
    });
    const device = await createCDevice();
    const polls = ["command=0", "poll", "poll", "poll"];
    const { results } = await device.run(polls, { url: server.url });
    expect(results("poll")).toMatchObject([
      { status: "unexpected_answer", http: 403 },
      { status: "unexpected_answer", http: 403 },
      { status: "ok", name: "blink" },
    ]);
    const reports = server.bodiesOf("/device/commands/c1/result");
    expect(reports).toHaveLength(4);
    expect(new Set(reports).size).toBe(1);
  });

  it("runs the next command if a proxy always refuses the report of the last one", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [
        ...[commands("c1"), commands(), commands()],
        ...[commands("c2"), commands("c2"), commands()],
      ],
      "/device/commands/c1/result": [forbidden],
      "/device/commands/c2/result": [accepted],
    });
    const device = await createCDevice();
    const polls = ["command=0", "poll", "command=0", "poll"];
    const { results } = await device.run(polls, { url: server.url });
    expect(results("command")).toMatchObject([
      { status: "unexpected_answer", http: 403 },
      { status: "ok", name: "blink" },
    ]);
    expect(results("poll")).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    // Each poll sends it twice with the result and once without, until the next command takes the place of the report.
    expect(server.bodiesOf("/device/commands/c1/result")).toHaveLength(7);
    expect(server.bodiesOf("/device/commands/c2/result")).toHaveLength(1);
  });

  it("§8 does not take the page of a captive portal for the answer to an update request", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/ota/status": [{ status: 200, body: {} }, accepted],
    });
    const device = await createCDevice();
    const { results } = await device.run(["answer", "answer"], { url: server.url });
    expect(results("answer").map(({ status }) => status)).toEqual(["unexpected_answer", "ok"]);
  });
});
