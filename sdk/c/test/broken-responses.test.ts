import { beforeAll, expect, it } from "vitest";
import { createCDevice } from "./c-device.js";
import { startScriptedServer } from "./scripted-server.js";
import { describeInC, makeDevice } from "./tool-chain.js";

const registered = { body: { token: "t1", deviceSecret: "the-first-secret" } };
const commandOf = (payload: object) => ({
  body: { commands: [{ commandId: "c1", name: "blink", expiresInSeconds: 60, payload }] },
});
/** Cuts a response within its last text or number. */
const cut = ({ body }: { readonly body: unknown }, missing: number) => ({
  ...{ body, cutAfter: JSON.stringify(body).length - missing },
});

describeInC("the C client after a broken response", () => {
  beforeAll(makeDevice);

  it("§1 keeps its secret if a login response breaks within the new one", async () => {
    const rotated = { body: { token: "t2", deviceSecret: "the-second-secret" } };
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/login": [cut(rotated, 5), { body: { token: "t3" } }],
    });
    const device = await createCDevice();
    const { url } = server;
    await device.run(["connect"], { url });
    const { results } = await device.run(["connect"], { url });
    expect(results("connect")).toMatchObject([{ status: "ok" }]);
    await device.run(["connect"], { url });
    const sent = server.bodiesOf("/device/login").map((body) => JSON.parse(body).deviceSecret);
    expect(sent).toEqual(Array(3).fill("the-first-secret"));
  });

  it("§11 runs no command that only a broken response contained", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [cut(commandOf({ times: 5 }), 20), { body: { commands: [] } }],
    });
    const { url } = server;
    const device = await createCDevice();
    const { results } = await device.run(["poll"], { url });
    expect(server.bodiesOf("/device/commands")).toHaveLength(2);
    expect(results("poll")).toMatchObject([{ status: "ok", name: "" }]);
  });

  it("§11 does not repeat a fetch whose broken response had values of the payload", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/commands": [cut(commandOf({ times: 5 }), 2), commandOf({})],
      "/device/commands/c1/result": [{ status: 202, body: { status: "accepted" } }],
    });
    const device = await createCDevice();
    const { results } = await device.run(["command=0", "command=0"], { url: server.url });
    expect(results("command")).toMatchObject([
      { status: "network", name: "" },
      { status: "ok", name: "blink", times: 1 },
    ]);
  });

  it("gives up a response that arrives byte by byte and never ends", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/device/ota/status": [{ drips: true }],
    });
    const device = await createCDevice();
    const { results } = await device.run(["connect", "limit=1", "answer"], { url: server.url });
    expect(results("connect")).toMatchObject([{ status: "ok" }]);
    expect(results("answer")).toMatchObject([{ status: "network" }]);
    expect(server.bodiesOf("/device/ota/status")).toHaveLength(1);
  });

  it("§4 does not take a 304 to telemetry for a success", async () => {
    const server = await startScriptedServer({
      "/device/register": [registered],
      "/telemetry": [{ status: 304 }],
    });
    const device = await createCDevice();
    const { results } = await device.run(["record=2", "flush"], { url: server.url });
    expect(results("flush")).toMatchObject([
      { status: "unexpected_answer", http: 304, accepted: 0, waiting: 2 },
    ]);
  });
});
