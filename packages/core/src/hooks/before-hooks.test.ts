import { sampleImage } from "@device-gateway/testing";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { anyone, customer, operator } from "../api/principal.js";
import type { BeforeHooks } from "./before-hooks.js";

const deviceId = "gw-1";
const alice = customer({ id: "alice", emailVerified: true });
const mallory = customer({ id: "mallory", emailVerified: true });
const ops = operator({ id: "ops" });
const refusal = { reason: "closed", detail: "We are closed. Come back tomorrow." };
const params = { deviceId };

/** Starts a gateway whose hooks record their calls, and refuse while `closed.now` is true. */
async function start() {
  const calls: [keyof BeforeHooks, unknown][] = [];
  const closed = { now: false };
  const hook = (name: keyof BeforeHooks) => (input: unknown) => {
    calls.push([name, input]);
    return closed.now ? refusal : undefined;
  };
  const before: BeforeHooks = {
    register: hook("register"),
    claim: hook("claim"),
    release: hook("release"),
    publish: hook("publish"),
  };
  const cloud = await createTestCloud({ gateway: { before } });
  onTestFinished(() => cloud.close());
  const { claimCode, deviceSecret } = await cloud.addDevice({ deviceId });
  return { cloud, gateway: cloud.gateway, calls, closed, claimCode, deviceSecret };
}

test("a hook refuses a claim, a release and a publication with its reason, and nothing changes", async () => {
  const { cloud, gateway, calls, closed, claimCode } = await start();
  const owner = gateway.as(alice);
  const claim = { body: { deviceId, claimCode } };
  const expected = { code: "refused", status: 403, detail: refusal.detail, refusal };
  closed.now = true;
  expect((await owner.claimDevice(claim))._unsafeUnwrapErr()).toMatchObject(expected);
  const assignment = { params, body: { customerId: "alice" } };
  expect((await gateway.as(ops).assignDevice(assignment))._unsafeUnwrapErr()).toMatchObject(
    expected,
  );
  expect((await cloud.store.devices.find(deviceId))?.ownership).toBeNull();
  closed.now = false;
  expect((await owner.claimDevice(claim)).isOk()).toBe(true);
  closed.now = true;
  expect((await owner.releaseDevice({ params }))._unsafeUnwrapErr()).toMatchObject(expected);
  expect((await cloud.store.devices.find(deviceId))?.ownership?.ownerId).toBe("alice");

  closed.now = false;
  const plan = { version: "1.1.0", targetHardware: "board", image: sampleImage(64) };
  const { id } = await cloud.addRelease(plan);
  const change = (status: "paused" | "active") =>
    gateway.as(ops).changeRelease({ params: { releaseId: id }, body: { status } });
  closed.now = true;
  expect((await change("paused")).isOk(), "a pause is never refused").toBe(true);
  expect((await change("active"))._unsafeUnwrapErr()).toMatchObject(expected);
  expect((await cloud.store.releases.find(id))?.status).toBe("paused");
  const last = calls.at(-1);
  expect(last).toEqual(["publish", expect.objectContaining({ releaseId: id, actor: "ops" })]);
});

test("§3 the claim hook is called only after the proof, and never for an owned device", async () => {
  const { gateway, calls, closed, claimCode } = await start();
  calls.length = 0;
  closed.now = true;
  const thief = gateway.as(mallory);
  const guess = await thief.claimDevice({ body: { deviceId, claimCode: "WRONG-CODE" } });
  expect(guess._unsafeUnwrapErr().code).toBe("invalid_claim");
  const unknown = await thief.claimDevice({ body: { deviceId: "gw-9", claimCode } });
  expect(unknown._unsafeUnwrapErr().code).toBe("invalid_claim");
  expect(calls).toEqual([]);
  // A refusal by the hook is not a wrong code, so it uses up no attempt.
  for (let n = 0; n < 8; n++) {
    const refused = await gateway.as(alice).claimDevice({ body: { deviceId, claimCode } });
    expect(refused._unsafeUnwrapErr().code).toBe("refused");
  }
  closed.now = false;
  expect((await gateway.as(alice).claimDevice({ body: { deviceId, claimCode } })).isOk()).toBe(
    true,
  );
  calls.length = 0;
  closed.now = true;
  const again = await gateway.as(alice).claimDevice({ body: { deviceId, claimCode } });
  expect(again._unsafeUnwrap().body.status).toBe("already_owned");
  const late = await thief.claimDevice({ body: { deviceId, claimCode } });
  expect(late._unsafeUnwrapErr().code).toBe("already_claimed");
  const foreign = await thief.releaseDevice({ params });
  expect(foreign._unsafeUnwrapErr().code).toBe("device_not_found");
  expect(calls).toEqual([]);
});

test("§1 the register hook is called for a known device only after its proof, with the facts that proved it", async () => {
  const { gateway, calls, closed, claimCode, deviceSecret } = await start();
  expect(calls).toEqual([["register", expect.objectContaining({ deviceId, known: null })]]);
  calls.length = 0;
  closed.now = true;
  const identity = { deviceId, hardwareId: "esp32:devkit-v1", firmwareVersion: "1.0.0" };
  const register = async (proof: object) => {
    const result = await gateway.as(anyone).registerDevice({
      body: { ...identity, claimCode, ...proof },
    });
    return result._unsafeUnwrapErr().code;
  };
  expect(await register({ claimCode: "WRONG-CODE" })).toBe("device_already_registered");
  expect(calls).toEqual([]);
  expect(await register({ deviceSecret })).toBe("device_not_admitted");
  expect(await register({})).toBe("device_not_admitted");
  expect(calls.map(([, input]) => (input as { known: object }).known)).toEqual([
    expect.objectContaining({ secretMatches: true }),
    expect.objectContaining({ secretMatches: false, codeMatches: true }),
  ]);
});
