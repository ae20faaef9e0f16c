import { expect, test } from "vitest";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { Fetch } from "../call-route.js";
import { createCommands } from "../commands/create-commands.js";
import { identity, type Payloads, openCommandsWorld as start } from "../testing/commands-world.js";
import { createMemoryCredentials } from "./credential-store.js";
import { createDevice } from "./device.js";
import type { DeviceEvent } from "./device-event.js";

/** A registered device that has restarted. A proxy refuses its logins with a status until `letIn`. */
async function startBehindProxy(status: number) {
  const { cloud } = await start();
  let isOpen = true;
  const fetch: Fetch = async (url, init) =>
    isOpen || !url.endsWith("/device/login")
      ? cloud.fetch(url, init)
      : new Response("<h1>Refused</h1>", { status });
  const events: DeviceEvent[] = [];
  const credentials = createMemoryCredentials();
  const boot = () =>
    createDevice({
      ...{ baseUrl: cloud.baseUrl, fetch, credentials, clock: cloud.clock, sleep: cloud.sleep },
      identity: { ...identity, deviceId: "gw-2" },
      onEvent: (event) => events.push(event),
    });
  expect((await boot().connect()).isOk()).toBe(true);
  isOpen = false;
  const letIn = () => {
    isOpen = true;
  };
  return { cloud, device: boot(), events, letIn };
}

test.each([400, 413])("a %i of a proxy to a login drops no reading", async (status) => {
  const { cloud, device, events, letIn } = await startBehindProxy(status);
  expect((await device.record({ n: 1 }, { n: 2 })).isOk()).toBe(true);
  const error = (await device.flush())._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "unexpected_answer", cause: { status } });
  expect(error.message).toMatch(/^Not signed in: HTTP /);
  expect(device.waiting).toBe(2);
  letIn();
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 2, refused: 0 });
  expect(await cloud.records("gw-2")).toHaveLength(2);
  expect(events.map(({ kind }) => kind)).not.toContain("dropped");
});

test("§11 a 413 of a proxy to a login does not remove the result of a command", async () => {
  const { device } = await startBehindProxy(413);
  const storage = createMemoryBuffer();
  await storage.append(["b c1", 'a c1 {"status":"done","result":1}']);
  const reports: unknown[] = [];
  const call = ((
    name: "reportCommand",
    request: { params: { commandId: string }; body: never },
  ) => {
    reports.push(request.body);
    return device.call(name, request);
  }) as typeof device.call;
  const handlers = { blink: () => {}, restart: () => {} };
  const commands = createCommands<Payloads>({ device: { call }, storage, handlers });
  expect((await commands.poll())._unsafeUnwrapErr().code).toBe("unexpected_answer");
  expect(reports).toEqual([{ status: "done", result: 1 }]);
});
