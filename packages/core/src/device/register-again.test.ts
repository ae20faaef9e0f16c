import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, sampleRegistration, serveInProcess } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { portableSlowHash } from "../ports/portable-slow-hash.js";
import type { RegistrationFacts } from "./decide-registration.js";

const setup = {
  serve: serveInProcess,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
};

async function openWorld(options: Parameters<typeof openWireWorld>[1] = {}) {
  let hashes = 0;
  const slowHash = {
    derive: (...parts: Parameters<typeof portableSlowHash.derive>) => {
      hashes++;
      return portableSlowHash.derive(...parts);
    },
  };
  const world = await openWireWorld(setup, { slowHash, ...options });
  const { call, signIn } = world;
  const again = async (changes: object = {}) => {
    hashes = 0;
    const body = { ...sampleRegistration(), hardwareFingerprint: "aa:bb", ...changes };
    const reply = await call("registerDevice", { body });
    return [reply.status, hashes] as const;
  };
  const claim = async () => {
    const token = await signIn("alice");
    const body = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
    expect((await call("claimDevice", { token, body })).status).toBe(200);
    return { token, params: { deviceId: "gw-1" } };
  };
  return { ...world, again, claim };
}

/** Requests of a stranger, who must not learn from the responses which part was wrong. */
const guesses = {
  "a wrong code": { claimCode: "WRONG-ONE" },
  "a wrong code, other hardware": { claimCode: "WRONG-ONE", hardwareId: "other" },
  "a wrong code, another fingerprint": { claimCode: "WRONG-ONE", hardwareFingerprint: "cc:dd" },
  "a wrong code, no fingerprint": { claimCode: "WRONG-ONE", hardwareFingerprint: undefined },
  "the correct code, other hardware": { hardwareId: "other" },
  "the correct code, another fingerprint": { hardwareFingerprint: "cc:dd" },
};

for (const [name, guess] of Object.entries(guesses)) {
  test(`§1 ${name}: costs one slow hash and one attempt while the device has no owner`, async () => {
    const { again, close } = await openWorld();
    expect(await again()).toEqual([201, 1]);
    for (let attempts = 0; attempts < 5; attempts++) expect(await again(guess)).toEqual([409, 1]);
    expect(await again(), "an address has five wrong attempts").toEqual([429, 0]);
    await close();
  });

  test(`§1 ${name}: costs one slow hash and one attempt inside a re-enrolment window`, async () => {
    const { again, claim, call, close } = await openWorld();
    await again();
    const owner = await claim();
    expect((await call("openReEnrolment", owner)).status).toBe(200);
    for (let attempts = 0; attempts < 5; attempts++) expect(await again(guess)).toEqual([409, 1]);
    expect(await again()).toEqual([429, 0]);
    await close();
  });

  test(`§1 ${name}: costs no slow hash and no attempt while the device is owned or revoked`, async () => {
    const { again, claim, call, signIn, close } = await openWorld();
    await again();
    const owner = await claim();
    for (let attempts = 0; attempts < 10; attempts++) expect(await again(guess)).toEqual([409, 0]);
    expect((await call("releaseDevice", owner)).status).toBe(204);
    const operator = { ...owner, token: await signIn("op", { roles: ["operator"] }) };
    expect((await call("revokeDevice", operator)).status).toBe(200);
    for (let attempts = 0; attempts < 10; attempts++) expect(await again(guess)).toEqual([409, 0]);
    expect((await call("reinstateDevice", operator)).status).toBe(200);
    expect(await again(), "no attempt was used").toEqual([200, 1]);
    await close();
  });
}

test("§1 a spent code costs the same as a wrong code", async () => {
  const { again, claim, call, close } = await openWorld({ freshCodeAfterRelease: true });
  await again();
  expect((await call("releaseDevice", await claim())).status).toBe(204);
  for (let attempts = 0; attempts < 5; attempts++) expect(await again()).toEqual([409, 1]);
  expect(await again()).toEqual([429, 0]);
  await close();
});

test("§1 a refusal without a claim code or of a legacy device costs no slow hash and no attempt", async () => {
  const { again, call, close } = await openWorld();
  await again();
  const old = { firmwareVersion: "0.1.3", claimCode: undefined };
  for (let attempts = 0; attempts < 10; attempts++) expect(await again(old)).toEqual([409, 0]);
  expect(await again(), "no attempt was used").toEqual([200, 1]);
  const legacy = { ...old, deviceId: "old-1" };
  const { body } = await call("registerDevice", { body: { ...sampleRegistration(), ...legacy } });
  const { deviceId, deviceSecret } = body;
  expect((await call("loginDevice", { body: { deviceId, deviceSecret } })).status).toBe(200);
  for (const claimCode of [undefined, "ABCD-EFGH"]) {
    for (let attempts = 0; attempts < 10; attempts++) {
      expect(await again({ ...legacy, claimCode })).toEqual([409, 0]);
    }
  }
  await close();
});

test("§1 a registration with the secret needs no attempt and is accepted when none is left", async () => {
  const { again, call, close } = await openWorld();
  const { body } = await call("registerDevice", { body: sampleRegistration() });
  for (let attempts = 0; attempts < 6; attempts++) await again({ claimCode: "WRONG-ONE" });
  expect((await again())[0]).toBe(429);
  const { deviceSecret } = body;
  expect((await again({ deviceSecret, hardwareId: "other" }))[0]).toBe(200);
  await close();
});

test("§1 the embedder's policy gets the true facts about code and hardware", async () => {
  const received: RegistrationFacts[] = [];
  const { again, close } = await openWorld({
    registrationPolicy: (facts) => {
      received.push(facts);
      return facts.codeMatches && !facts.sameHardware;
    },
  });
  await again();
  expect(await again()).toEqual([409, 1]);
  expect(await again({ claimCode: "WRONG-ONE", hardwareId: "other" })).toEqual([409, 1]);
  expect(await again({ hardwareId: "other" })).toEqual([200, 1]);
  expect(received.at(-1)).toMatchObject({ codeMatches: true, sameHardware: false });
  await close();
});

test("§1 a claim code that was hashed at another cost is hashed again at the next registration, and stays spent", async () => {
  const store = createMemoryStore();
  const shared = { ...setup, openStore: async () => ({ store, dispose: async () => {} }) };
  const cheap = await openWireWorld(shared, { freshCodeAfterRelease: true });
  const { body } = await cheap.call("registerDevice", { body: sampleRegistration() });
  const params = { deviceId: "gw-1" };
  const token = await cheap.signIn("alice");
  const claim = { ...params, claimCode: "ABCD-EFGH" };
  expect((await cheap.call("claimDevice", { token, body: claim })).status).toBe(200);
  expect((await cheap.call("releaseDevice", { token, params })).status).toBe(204);
  expect((await store.devices.find("gw-1"))?.claimCodeHash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/);

  const costly = await openWireWorld(shared, { scryptCost: { logN: 5, r: 8, p: 1 } });
  const { deviceSecret } = body;
  const registered = await costly.call("registerDevice", {
    body: { ...sampleRegistration(), deviceSecret },
  });
  expect(registered.status).toBe(200);
  const device = await store.devices.find("gw-1");
  expect(device?.claimCodeHash).toMatch(/^\$scrypt\$ln=5,r=8,p=1\$/);
  expect(device?.claimCodeSpent).toBe(true);
  for (const world of [cheap, costly]) await world.close();
});
