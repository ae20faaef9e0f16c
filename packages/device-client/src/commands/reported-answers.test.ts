import { errAsync, okAsync } from "neverthrow";
import { expect, test } from "vitest";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { Fetch } from "../call-route.js";
import type { Device } from "../device/device.js";
import {
  deviceId,
  type Payloads,
  openCommandsWorld as start,
  statuses,
} from "../testing/commands-world.js";
import { createCommands } from "./create-commands.js";

test("§11 a result that the server refuses, or that is not JSON, is reported without it", async () => {
  const { cloud, boot } = await start();
  const results: unknown[] = ["x".repeat(5_000), 5n];
  const commands = boot({ handlers: { blink: () => results.shift(), restart: () => {} } });
  for (const reason of [/too large/, /BigInt/]) {
    const id = await cloud.sendCommand(deviceId, "blink");
    expect((await commands.poll()).isOk()).toBe(true);
    const { state, answer } = await cloud.readCommand(deviceId, id);
    expect([state, answer?.result]).toEqual(["done", null]);
    expect(answer?.message).toMatch(reason);
  }
});

test("§11 an answer above the server's body limit does not block later commands, also after a restart", async () => {
  const { cloud, boot } = await start();
  const handlers = { blink: () => "x".repeat(20_000), restart: () => {} };
  const ids = [await cloud.sendCommand(deviceId, "blink")];
  cloud.fail("reportCommand", { kind: "unreachable" }, { times: 2 });
  expect((await boot({ handlers }).poll())._unsafeUnwrapErr().code).toBe("network");
  ids.push(await cloud.sendCommand(deviceId, "blink"));
  expect(statuses((await boot({ handlers }).poll())._unsafeUnwrap())).toEqual(["done", "done"]);
  for (const id of ids) {
    const { state, answer } = await cloud.readCommand(deviceId, id);
    expect([state, answer?.result]).toEqual(["done", null]);
    expect(answer?.message).toMatch(/too large/);
  }
});

test("§11 a report that the server finds malformed is sent again without the result", async () => {
  const reports: unknown[] = [];
  const call = (name: string, request: { body: unknown }) => {
    if (name === "fetchCommands") return okAsync({ commands: [] });
    reports.push(request.body);
    const error = { code: "malformed_json", message: "not JSON", status: 400 };
    return reports.length === 1 ? errAsync(error) : okAsync({ status: "accepted" });
  };
  const storage = createMemoryBuffer();
  await storage.append(["b c1", 'a c1 {"status":"done","result":1}']);
  const commands = createCommands<Payloads>({
    device: { call } as unknown as Device,
    storage,
    handlers: { blink: () => {}, restart: () => {} },
  });
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  expect(reports).toEqual([
    { status: "done", result: 1 },
    { status: "done", message: expect.stringMatching(/refused the result/) },
  ]);
});

/** What a poll returns if a proxy refuses a report. */
const refusal = { code: "unexpected_answer", status: 403 };

/** A `fetch` behind a firewall that refuses reports with some content. */
const behindFirewall =
  (fetch: Fetch, refuses: (body: string) => boolean): Fetch =>
  async (url, init) =>
    url.endsWith("/result") && refuses(String(init.body))
      ? new Response("<h1>Forbidden</h1>", { status: 403 })
      : fetch(url, init);

test("an answer whose text a firewall refuses is reported without it, and later commands run", async () => {
  const { cloud, connect, boot } = await start();
  const refuses = (body: string) => body.includes("DROP TABLE");
  const device = connect(behindFirewall(cloud.fetch, refuses));
  const results = ["DROP TABLE", new Error("DROP TABLE"), "fine"];
  const blink = () => {
    const result = results.shift();
    if (result instanceof Error) throw result;
    return result;
  };
  const ids = [
    await cloud.sendCommand(deviceId, "blink"),
    await cloud.sendCommand(deviceId, "blink"),
    await cloud.sendCommand(deviceId, "blink"),
  ];
  const commands = boot({ device, handlers: { blink, restart: () => {} } });
  expect((await commands.poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done", "failed"]);
  const answers = await Promise.all(
    ids.map(async (id) => (await cloud.readCommand(deviceId, id)).answer),
  );
  expect(answers).toEqual([
    { status: "done", result: null, message: null },
    { status: "failed", result: null, message: null },
    { status: "done", result: "fine", message: null },
  ]);
});

test.each([1, 2])("a result arrives whole if a proxy refuses %i of its reports", async (times) => {
  const { cloud, connect, boot } = await start();
  let left = times;
  const commands = boot({ device: connect(behindFirewall(cloud.fetch, () => left-- > 0)) });
  const id = await cloud.sendCommand(deviceId, "blink", { times: 3 });
  expect((await commands.poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  const { answer } = await cloud.readCommand(deviceId, id);
  expect(answer).toEqual({ status: "done", result: { blinked: 3 }, message: null });
});

test("while a proxy refuses every request, reports are sent whole, once per poll", async () => {
  const { cloud, connect, boot } = await start();
  let isClosed = false;
  const reports: unknown[] = [];
  const device = connect(async (url, init) => {
    if (url.endsWith("/result")) reports.push(JSON.parse(String(init.body)));
    return isClosed ? new Response("<h1>Log in</h1>", { status: 403 }) : cloud.fetch(url, init);
  });
  const handlers = {
    blink({ times }: Payloads["blink"]) {
      isClosed = true;
      return { blinked: times };
    },
    restart: () => {},
  };
  const commands = boot({ device, handlers });
  const id = await cloud.sendCommand(deviceId, "blink");
  for (let poll = 0; poll < 3; poll++) {
    expect((await commands.poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  }
  isClosed = false;
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  expect(reports).toEqual(Array(4).fill({ status: "done", result: { blinked: 1 } }));
  expect((await cloud.readCommand(deviceId, id)).state).toBe("done");
});

test("a report that the gateway refuses with a code of a later version is sent without the result at once", async () => {
  const { cloud, connect, boot } = await start();
  const problem = { code: "of_the_future", detail: "No.", status: 422, requestId: "r1" };
  const device = connect(async (url, init) =>
    url.endsWith("/result") && String(init.body).includes("blinked")
      ? Response.json(problem, { status: 422 })
      : cloud.fetch(url, init),
  );
  const id = await cloud.sendCommand(deviceId, "blink");
  expect(statuses((await boot({ device }).poll())._unsafeUnwrap())).toEqual(["done"]);
  const { answer } = await cloud.readCommand(deviceId, id);
  expect(answer).toEqual({ status: "done", result: null, message: null });
});

test("while a firewall refuses every report, later commands run, and the reports wait for it", async () => {
  const { cloud, connect, boot, blinks, statesOf } = await start();
  const device = connect(behindFirewall(cloud.fetch, () => true));
  const send = (times: number) => cloud.sendCommand(deviceId, "blink", { times });
  const ids = [await send(1), await send(2)];
  expect((await boot({ device }).poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  expect(blinks).toEqual([1, 2]);
  ids.push(await send(3));
  expect((await boot({ device }).poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  expect(blinks).toEqual([1, 2, 3]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done", "done", "done"]);
  expect(await statesOf(...ids)).toEqual(["done", "done", "done"]);
});

test("a poll sends a limited number of reports, however many results a proxy has refused", async () => {
  const { cloud, connect, boot, storage } = await start();
  const ids = Array.from({ length: 100 }, (_, n) => `c${n}`);
  await storage.append(ids.flatMap((id) => [`b ${id}`, `a ${id} {"status":"done","result":1}`]));
  const reported: (string | undefined)[] = [];
  const device = connect(async (url, init) => {
    if (!url.endsWith("/result")) return cloud.fetch(url, init);
    reported.push(url.split("/").at(-2));
    return new Response("<h1>Forbidden</h1>", { status: 403 });
  });
  expect((await boot({ device }).poll())._unsafeUnwrapErr()).toMatchObject(refusal);
  expect([...new Set(reported)]).toEqual(ids.slice(-21));
  // Whole before the fetch, and after it whole and without the result.
  expect(reported).toHaveLength(3 * 21);
});

test("a result is reported again if a 202 does not acknowledge it", async () => {
  const { cloud, connect, boot } = await start();
  const others = [Response.json({ status: "queued" }, { status: 202 })];
  const device = connect(async (url, init) => {
    const other = url.endsWith("/result") ? others.shift() : undefined;
    return other ?? cloud.fetch(url, init);
  });
  const commands = boot({ device });
  const id = await cloud.sendCommand(deviceId, "blink", { times: 3 });
  const error = (await commands.poll())._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "unexpected_answer", status: 202 });
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  const { answer } = await cloud.readCommand(deviceId, id);
  expect(answer).toEqual({ status: "done", result: { blinked: 3 }, message: null });
});

test("§11 a long error of a handler is reported by its first 512 characters", async () => {
  const { cloud, boot } = await start();
  const commands = boot({
    handlers: {
      blink() {
        throw new Error(`the relay is stuck ${"x".repeat(20_000)}`);
      },
      restart: () => {},
    },
  });
  const id = await cloud.sendCommand(deviceId, "blink");
  expect((await commands.poll()).isOk()).toBe(true);
  const { state, answer } = await cloud.readCommand(deviceId, id);
  expect(state).toBe("failed");
  expect(answer?.message).toBe(`the relay is stuck ${"x".repeat(512)}`.slice(0, 512));
});

test("§11 a command that restarts the device is reported before", async () => {
  const { cloud, boot, statesOf } = await start();
  const states: string[] = [];
  const id = await cloud.sendCommand(deviceId, "restart");
  const commands = boot({
    handlers: {
      blink: () => {},
      restart: (_, { afterReport }) =>
        afterReport(async () => void states.push(...(await statesOf(id)))),
    },
  });
  expect((await commands.poll()).isOk()).toBe(true);
  expect(states).toEqual(["done"]);
});

test("§11 an answer to a command that the server deleted, or of an earlier registration, is dropped", async () => {
  const { cloud, boot, blinks, storage } = await start();
  await storage.append(["b of-nobody", 'a of-nobody {"status":"done"}', "b Half"]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done", "unknown"]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual([]);
  expect([blinks, cloud.requestsTo("reportCommand").length]).toEqual([[], 2]);
});
