import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, sampleRegistration, serveInProcess } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { portableSlowHash } from "../ports/portable-slow-hash.js";
import { SlowHashBusyError } from "../ports/slow-hash.js";

const setup = {
  serve: serveInProcess,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
};

test("§3 every 401 of a claim computes exactly one slow hash, and a 400 computes none", async () => {
  let hashes = 0;
  const slowHash = {
    derive: (...parts: Parameters<typeof portableSlowHash.derive>) => {
      hashes++;
      return portableSlowHash.derive(...parts);
    },
  };
  const { call, register, signIn, close } = await openWireWorld(setup, { slowHash });
  await register();
  const old = { ...sampleRegistration("old-1"), firmwareVersion: "0.1.3", claimCode: undefined };
  await call("registerDevice", { body: old });
  await register("revoked-1");
  const operator = await signIn("op", { roles: ["operator"] });
  await call("revokeDevice", { token: operator, params: { deviceId: "revoked-1" } });

  const alice = await signIn("alice");
  const costOf = async (body: object) => {
    hashes = 0;
    const { status } = await call("claimDevice", { token: alice, body });
    return [status, hashes];
  };
  // Three attempts on each of three devices stay within every budget.
  for (const claimCode of ["WRONG-ONE", "?", "x".repeat(200)]) {
    for (const deviceId of ["gw-1", "unknown", "revoked-1"]) {
      expect(await costOf({ deviceId, claimCode })).toEqual([401, 1]);
    }
  }
  expect(await costOf({ deviceId: "old-1", deviceSecret: "wrong" })).toEqual([401, 1]);
  expect(await costOf({ deviceId: "unknown", deviceSecret: "x" })).toEqual([400, 0]);
  expect(await costOf({ deviceId: "gw-1", deviceSecret: "x" })).toEqual([400, 0]);
  expect(await costOf({ deviceId: "gw-1", claimCode: "ABCD-EFGH" })).toEqual([200, 1]);
  await close();
});

test("§3 an attempt whose check fails is refunded", async () => {
  let busy = false;
  const slowHash = {
    derive: (...parts: Parameters<typeof portableSlowHash.derive>) => {
      if (busy) throw new SlowHashBusyError("full");
      return portableSlowHash.derive(...parts);
    },
  };
  const { call, register, signIn, close } = await openWireWorld(setup, { slowHash });
  await register();
  const token = await signIn("alice");
  const claim = async () => {
    const body = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
    return (await call("claimDevice", { token, body })).status;
  };
  busy = true;
  for (let i = 0; i < 10; i++) expect(await claim()).toBe(503);
  busy = false;
  expect(await claim()).toBe(200);
  await close();
});
