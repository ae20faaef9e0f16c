import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import type { Result } from "neverthrow";
import { expect, onTestFinished, test } from "vitest";
import { customer, operator } from "../api/principal.js";
import { portableSlowHash } from "../ports/portable-slow-hash.js";

const deviceId = "gw-1";
const params = { deviceId };
const refusal = { reason: "device_limit", detail: "You have too many devices." };

/** Opens a gateway with a device of `bob`. While `closed.now` is true, the hooks refuse every change for `alice`. */
async function start() {
  const closed = { now: true };
  const hook = ({ customerId }: { customerId: string }) =>
    closed.now && customerId === "alice" ? refusal : undefined;
  const setup = {
    serve: serveInProcess,
    openStore: async () => {
      const store = createMemoryStore();
      return { store, dispose: () => store.close() };
    },
  };
  let others: (() => Promise<void>) | undefined;
  const runOthers = async () => {
    const run = others;
    others = undefined;
    await run?.();
  };
  const slowHash = {
    derive: async (...parts: Parameters<typeof portableSlowHash.derive>) => {
      const hash = await portableSlowHash.derive(...parts);
      await runOthers();
      return hash;
    },
  };
  const before = { claim: hook, release: hook };
  const world = await openWireWorld(setup, { slowHash, before });
  onTestFinished(world.close);
  const { gateway, store, register } = world;
  await register(deviceId);

  const ops = gateway.as(operator({ id: "ops" }));
  const as = (id: string) => gateway.as(customer({ id, emailVerified: true }));
  const codeOf = (result: Result<unknown, { readonly code: string }>) =>
    result.isOk() ? "ok" : result.error.code;
  const assign = async (customerId: string) =>
    codeOf(await ops.assignDevice({ params, body: { customerId } }));
  const release = async (id: string) => codeOf(await as(id).releaseDevice({ params }));
  expect(await assign("bob")).toBe("ok");
  return {
    closed,
    assign,
    release,
    claim: async (id: string) =>
      codeOf(await as(id).claimDevice({ body: { deviceId, claimCode: "ABCD-EFGH" } })),
    revoke: async () => codeOf(await ops.revokeDevice({ params })),
    reinstate: async () => codeOf(await ops.reinstateDevice({ params })),
    ownerOf: async () => (await store.devices.find(deviceId))?.ownership?.ownerId,
    /** Runs requests of others after the next slow hash. */
    afterHash(run: () => Promise<string>) {
      others = async () => expect(await run()).toBe("ok");
    },
    /** Runs requests of others after the next read of the device. */
    afterRead(run: () => Promise<string>) {
      const { find } = store.devices;
      Object.assign(store.devices, {
        find: async (id: string) => {
          const device = await find(id);
          Object.assign(store.devices, { find });
          expect(await run()).toBe("ok");
          return device;
        },
      });
    },
  };
}

test("§3 the claim hook is asked although the owner releases the device while the code is checked", async () => {
  const { closed, claim, release, ownerOf, afterHash } = await start();
  afterHash(() => release("bob"));
  expect(await claim("alice")).toBe("refused");
  expect(await ownerOf()).toBeUndefined();
  closed.now = false;
  expect(await claim("bob")).toBe("ok");
  afterHash(() => release("bob"));
  expect(await claim("alice")).toBe("ok");
  expect(await ownerOf()).toBe("alice");
});

test("the claim hook is asked although an operator assigns a device that its owner releases at the same time", async () => {
  const { closed, assign, release, ownerOf, afterRead } = await start();
  afterRead(() => release("bob"));
  expect(await assign("alice")).toBe("refused");
  expect(await ownerOf()).toBeUndefined();
  closed.now = false;
  expect(await assign("bob")).toBe("ok");
  afterRead(() => release("bob"));
  expect(await assign("alice")).toBe("ok");
  expect(await ownerOf()).toBe("alice");
});

test("the claim hook is asked although the device is reinstated after an assignment has read it", async () => {
  const { assign, release, revoke, reinstate, ownerOf, afterRead } = await start();
  await release("bob");
  expect(await revoke()).toBe("ok");
  afterRead(reinstate);
  expect(await assign("alice")).not.toBe("ok");
  expect(await ownerOf()).toBeUndefined();
});

test("nobody releases a device without the release hook by becoming its owner after it was read", async () => {
  const { closed, assign, release, ownerOf, afterRead } = await start();
  await release("bob");
  afterRead(async () => {
    closed.now = false;
    const assigned = await assign("alice");
    closed.now = true;
    return assigned;
  });
  expect(await release("alice")).toBe("device_not_found");
  expect(await ownerOf()).toBe("alice");
});
