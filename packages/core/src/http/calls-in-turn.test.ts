import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { anyone, customer, device, operator } from "../api/principal.js";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway, type Gateway } from "../gateway.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import { ClientGoneError } from "./request/client-gone-error.js";

/** Resolves after the requests have gone as far as they can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Holds calls of a store until the test releases them. */
function createHold() {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const wait = (name: string) => {
    begun.push(name);
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    /** The calls that have begun, in order. */
    begun,
    wait,
    hold:
      <Input, Output>(name: string, call: (input: Input) => Promise<Output>) =>
      async (input: Input): Promise<Output> => {
        await wait(name);
        return call(input);
      },
    /** Releases all calls that wait now, or the one at a place. */
    release(place?: number) {
      const released = place === undefined ? waiting.splice(0) : waiting.splice(place, 1);
      for (const end of released) end();
    },
  };
}

/** Returns a store whose searches for a device are held. They find nothing, unless `find` is given. */
function holdFinds(memory: GatewayStore, find: GatewayStore["devices"]["find"] = async () => null) {
  const { wait, ...rest } = createHold();
  const devices = {
    ...memory.devices,
    async find(deviceId: string) {
      await wait(deviceId);
      return find(deviceId);
    },
  };
  return { store: { ...memory, devices }, ...rest };
}

/** Sends a request of a user or a device. A body makes it a POST. */
const sendTo = (gateway: Gateway, token: string, path: string, body?: object) =>
  gateway.handle({
    ...{ method: body === undefined ? "GET" : "POST", path: `/api/v1${path}`, query: "" },
    clientAddress: "192.0.2.1",
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    json: async () => ({ kind: "value", value: body }),
    async *stream() {},
  });

const openGateway = (store: GatewayStore) =>
  createGateway({
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
    store,
  });

async function registerSample(gateway: Gateway) {
  const registered = await gateway.as(anyone).registerDevice({
    body: {
      ...{ deviceId: "gw-1", hardwareId: "hw-1" },
      ...{ firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
    },
  });
  return registered._unsafeUnwrap().body;
}

test("§0 two requests of one user run at once, and the others wait", async () => {
  const { store, begun, release } = holdFinds(createMemoryStore());
  const gateway = await openGateway(store);
  const read = (user: string, deviceId: string) =>
    sendTo(gateway, user, `/dashboard/devices/${deviceId}`);
  const responses = ["a1", "a2", "a3", "a4"].map((id) => read("a", id));
  await settle();
  expect(begun).toEqual(["a1", "a2"]);
  responses.push(read("b", "b1"));
  await settle();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  release(1);
  await settle();
  expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  release(0);
  await settle();
  release();
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses).toEqual(responses.map(() => 404));
});

test("§3 claims of one customer reserve their attempts one after another", async () => {
  const memory = createMemoryStore();
  let reserving = 0;
  const release: (() => void)[] = [];
  const gateway = await openGateway({
    ...memory,
    budgets: {
      ...memory.budgets,
      async reserve(input) {
        reserving += 1;
        await new Promise<void>((resolve) => release.push(resolve));
        return memory.budgets.reserve(input);
      },
    },
  });
  const api = gateway.as(customer({ id: "a", emailVerified: true }));
  const claim = (deviceId: string) =>
    api.claimDevice({ body: { deviceId, claimCode: "ABCD-1234" } });
  const claims = ["gw-1", "gw-2", "gw-3"].map(claim);
  for (let count = 1; count <= claims.length; count++) {
    await settle();
    expect(reserving).toBe(count);
    release[count - 1]?.();
  }
  await Promise.all(claims);
});

test("fetches of commands and refusals of one device wait for their turn without a connection of the database", async () => {
  const memory = createMemoryStore();
  await registerSampleDevice(memory, "gw-1", sampleOwnership());
  const { begun, hold, release } = createHold();
  const gateway = await createGateway({
    secrets: generateSecrets(),
    commands: { blink: { payload: z.object({}), sentBy: ["operator"] } },
    store: {
      ...memory,
      commands: { ...memory.commands, take: hold("take", memory.commands.take) },
      refusals: { ...memory.refusals, add: hold("add", memory.refusals.add) },
    },
  });
  const sent = gateway.as(operator({ id: "op" })).sendCommand({
    ...{ params: { deviceId: "gw-1" }, body: { name: "blink" } },
  });
  expect((await sent).isOk()).toBe(true);
  const api = gateway.as(device("gw-1"));
  const calls = [
    api.fetchCommands({ query: { wait: "0" } }),
    api.sendTelemetry({ body: [5 as never] }),
    api.fetchCommands({ query: { wait: "0" } }),
  ];
  for (let count = 1; count <= calls.length; count++) {
    await settle();
    expect(begun).toHaveLength(count);
    release();
  }
  await Promise.all(calls);
  expect(begun.toSorted()).toEqual(["add", "take", "take"]);
});

test("one request of a device runs at a time, and a revocation does not wait for the others", async () => {
  const memory = createMemoryStore();
  const { begun, hold, release } = createHold();
  const { commands } = memory;
  const gateway = await openGateway({
    ...memory,
    commands: { ...commands, find: hold("find", commands.find) },
  });
  const { token } = await registerSample(gateway);
  const report = (commandId: string) =>
    sendTo(gateway, token, `/device/commands/${commandId}/result`, { status: "done" });
  const reports = ["a", "b", "c"].map((name) => report(`cmd_${name.repeat(22)}`));
  await settle();
  expect(begun).toEqual(["find"]);
  const revoked = gateway.as(operator({ id: "op" })).revokeDevice({ params: { deviceId: "gw-1" } });
  expect((await revoked).isOk()).toBe(true);
  expect(begun).toEqual(["find"]);
  for (const _ of reports) {
    release();
    await settle();
  }
  const statuses = (await Promise.all(reports)).map(({ status }) => status);
  expect(statuses).toEqual([404, 401, 401]);
});

test("two registrations of one client site use the store at a time, and those that nobody waits for do not", async () => {
  const memory = createMemoryStore();
  const { store, begun, release } = holdFinds(memory, memory.devices.find);
  const gateway = await openGateway(store);
  const register = (deviceId: string, clientAddress: string, turn = async () => {}) =>
    gateway.handle({
      ...{ method: "POST", path: "/api/v1/device/register", query: "", clientAddress, turn },
      header: () => undefined,
      json: async () => ({
        kind: "value",
        value: { deviceId, hardwareId: "hw-1", firmwareVersion: "0.1.3" },
      }),
      async *stream() {},
    });
  const responses = ["a1", "a2", "a3"].map((id, n) => register(id, `2001:db8:a:${n}::1`));
  responses.push(register("b1", "2001:db8:b::1"));
  const gone = register("a4", "2001:db8:a:4::1", async () => {
    throw new ClientGoneError("The client disconnected.");
  });
  await settle();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  release();
  await settle();
  expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  release();
  expect((await gone).status).toBe(503);
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
});

test("a lookup that began before a registration does not answer the new device's requests", async () => {
  const memory = createMemoryStore();
  const { begun, wait, release } = createHold();
  const { devices } = memory;
  const gateway = await openGateway({
    ...memory,
    devices: {
      ...devices,
      async find(deviceId) {
        const found = await devices.find(deviceId);
        if (begun.length === 0) await wait(deviceId);
        return found;
      },
    },
  });
  const early = gateway.as(device("gw-1")).readConfig({});
  await settle();
  expect(begun).toEqual(["gw-1"]);
  await registerSample(gateway);
  expect((await gateway.as(device("gw-1")).readConfig({})).isOk()).toBe(true);
  release();
  expect((await early).isErr()).toBe(true);
});

test("two histories of one user run at a time, and two other long reads begin", async () => {
  const { store, begun, release } = holdFinds(createMemoryStore());
  const gateway = await openGateway(store);
  const read = (path: string) => sendTo(gateway, "a", `/dashboard/devices/${path}`);
  const histories = ["a", "b", "c"].map((id) => `${id}/telemetry/history`);
  const others = ["d/telemetry/records", "e/telemetry/export", "f/telemetry/live"];
  const responses = [...histories, ...others].map(read);
  // The user's other requests do not wait for them.
  responses.push(read("g"));
  await settle();
  expect(begun).toEqual(["a", "b", "d", "e", "g"]);
  release();
  await settle();
  expect(begun).toEqual(["a", "b", "d", "e", "g", "c", "f"]);
  release();
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses).toEqual(responses.map(() => 404));
});

test("§11 a fetch whose device was revoked while it waited for its turn takes no command", async () => {
  const memory = createMemoryStore();
  await registerSampleDevice(memory, "gw-1", sampleOwnership());
  const { begun, hold, release } = createHold();
  const gateway = await createGateway({
    secrets: generateSecrets(),
    commands: { blink: { payload: z.object({}), sentBy: ["operator"] } },
    store: {
      ...memory,
      commands: { ...memory.commands, take: hold("take", memory.commands.take) },
    },
  });
  const params = { deviceId: "gw-1" };
  const operators = gateway.as(operator({ id: "op" }));
  expect((await operators.sendCommand({ params, body: { name: "blink" } })).isOk()).toBe(true);
  const api = gateway.as(device("gw-1"));
  const fetches = [1, 2].map(() => api.fetchCommands({ query: { wait: "0" } }));
  await settle();
  expect((await operators.revokeDevice({ params })).isOk()).toBe(true);
  release();
  const failures = (await Promise.all(fetches)).flatMap((one) =>
    one.isErr() ? one.error.code : [],
  );
  expect(failures).toEqual(["unauthorized"]);
  expect(begun).toEqual(["take"]);
});
