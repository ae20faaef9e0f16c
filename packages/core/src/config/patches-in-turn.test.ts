import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import type { Result } from "neverthrow";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { customer, operator } from "../api/principal.js";
import type { GatewayStore } from "../ports/gateway-store.js";

const deviceId = "gw-1";
const count = 40;
const numbers = Array.from({ length: count }, (_, n) => n);
const named = <T>(of: (n: number) => T) =>
  Object.fromEntries(numbers.map((n) => [`key${n}`, of(n)]));

afterEach(() => void vi.useRealTimers());

type Port = "devices" | "config" | "metadata" | "metrics";

/** Opens a gateway with a device of `alice`, and counts the calls of some methods of its store. */
async function start(count: readonly (readonly [Port, string])[]) {
  const setup = {
    serve: serveInProcess,
    openStore: async () => {
      const store = createMemoryStore();
      return { store, dispose: () => store.close() };
    },
  };
  const { gateway, store, register, close } = await openWireWorld(setup, {
    config: { settings: z.object(named(() => z.int().optional())) },
    metadata: { schema: z.object(named(() => z.int().optional())) },
  });
  onTestFinished(close);
  await register(deviceId);
  const ops = gateway.as(operator({ id: "ops" }));
  const params = { deviceId };
  const assigned = await ops.assignDevice({ params, body: { customerId: "alice" } });
  expect(assigned.isOk()).toBe(true);
  const alice = gateway.as(customer({ id: "alice", emailVerified: true }));
  const methods = count.map(([port, name]) => {
    const methodsOfPort = store[port] as unknown as Record<string, () => Promise<unknown>>;
    const method = vi.fn(methodsOfPort[name]);
    methodsOfPort[name] = method;
    return method;
  });
  return {
    alice,
    ops,
    store: store as GatewayStore,
    params,
    calls: () => methods.map(({ mock }) => mock.calls.length),
  };
}

const codeOf = (result: Result<unknown, { readonly code: string }>) =>
  result.isOk() ? "ok" : result.error.code;

test("§8 concurrent patches of a device's configuration are all applied, with one write each", async () => {
  const { alice, params, store, calls } = await start([
    ["devices", "find"],
    ["config", "replaceOverrides"],
  ]);
  const patches = numbers.map((n) =>
    alice.changeDeviceConfig({ params, body: { [`key${n}`]: n } }).then(codeOf),
  );
  expect(new Set(await Promise.all(patches))).toEqual(new Set(["ok"]));
  // Each request also reads the device to find out who owns it.
  expect(calls()).toEqual([2 * count, count]);
  expect((await store.devices.find(deviceId))?.configOverrides.values).toEqual(named((n) => n));
});

test("§8 concurrent patches of a device's metadata are all applied, with one write each", async () => {
  const { ops, params, store, calls } = await start([
    ["metadata", "find"],
    ["metadata", "replace"],
  ]);
  const patches = numbers.map((n) =>
    ops.changeDeviceMetadata({ params, body: { [`key${n}`]: n } }).then(codeOf),
  );
  expect(new Set(await Promise.all(patches))).toEqual(new Set(["ok"]));
  expect(calls()).toEqual([count, count]);
  expect((await store.metadata.find(deviceId))?.values).toEqual(named((n) => n));
});

test("§8 concurrent patches of the metrics of a target hardware are all applied, with one write each", async () => {
  const { ops, store, calls } = await start([
    ["metrics", "find"],
    ["metrics", "replace"],
  ]);
  const query = { targetHardware: "esp32dev" };
  const patches = numbers.map((n) =>
    ops.changeHardwareMetrics({ query, body: { [`key${n}`]: { unit: "V" } } }).then(codeOf),
  );
  expect(new Set(await Promise.all(patches))).toEqual(new Set(["ok"]));
  expect(calls()).toEqual([count, count]);
  expect(await store.metrics.find("esp32dev")).toEqual(named(() => ({ unit: "V" })));
});

test("a patch that waits until the deadline of its request is not applied", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { alice, params, store, calls } = await start([["config", "replaceOverrides"]]);
  const { replaceOverrides } = store.config;
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let noteWrite = () => {};
  const firstWrite = new Promise<void>((resolve) => {
    noteWrite = resolve;
  });
  Object.assign(store.config, {
    replaceOverrides: async (input: Parameters<typeof replaceOverrides>[0]) => {
      noteWrite();
      await gate;
      return replaceOverrides(input);
    },
  });
  const patch = (n: number) =>
    alice.changeDeviceConfig({ params, body: { [`key${n}`]: n } }).then(codeOf);
  const late = [0, 1, 2, 3].map(patch);
  await firstWrite;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(new Set(await Promise.all(late))).toEqual(new Set(["unavailable"]));
  const next = patch(5);
  goOn();
  expect(await next).toBe("ok");
  expect(calls()).toEqual([2]);
  expect((await store.devices.find(deviceId))?.configOverrides.values).toEqual({
    key0: 0,
    key5: 5,
  });
});
