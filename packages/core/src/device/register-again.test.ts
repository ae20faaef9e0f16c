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

/** What somebody without the device may send, and what they must not learn from it. */
const guesses = {
  "a wrong code": { claimCode: "WRONG-ONE" },
  "a wrong code, other hardware": { claimCode: "WRONG-ONE", hardwareId: "other" },
  "a wrong code, another fingerprint": { claimCode: "WRONG-ONE", hardwareFingerprint: "cc:dd" },
  "a wrong code, no fingerprint": { claimCode: "WRONG-ONE", hardwareFingerprint: undefined },
  "the right code, other hardware": { hardwareId: "other" },
  "the right code, another fingerprint": { hardwareFingerprint: "cc:dd" },
};

for (const [name, guess] of Object.entries(guesses)) {
  test(`§1 ${name}: one slow hash and one try, while the device is not owned`, async () => {
    const { again, close } = await openWorld();
    expect(await again()).toEqual([201, 1]);
    for (let tries = 0; tries < 5; tries++) expect(await again(guess)).toEqual([409, 1]);
    expect(await again(), "five wrong tries are all that an address has").toEqual([429, 0]);
    await close();
  });

  test(`§1 ${name}: one slow hash and one try, inside a re-enrolment window`, async () => {
    const { again, claim, call, close } = await openWorld();
    await again();
    const owner = await claim();
    expect((await call("openReEnrolment", owner)).status).toBe(200);
    for (let tries = 0; tries < 5; tries++) expect(await again(guess)).toEqual([409, 1]);
    expect(await again()).toEqual([429, 0]);
    await close();
  });

  test(`§1 ${name}: no slow hash and no try, while the device is owned or revoked`, async () => {
    const { again, claim, call, signIn, close } = await openWorld();
    await again();
    const owner = await claim();
    for (let tries = 0; tries < 10; tries++) expect(await again(guess)).toEqual([409, 0]);
    expect((await call("releaseDevice", owner)).status).toBe(204);
    const operator = { ...owner, token: await signIn("op", { roles: ["operator"] }) };
    expect((await call("revokeDevice", operator)).status).toBe(200);
    for (let tries = 0; tries < 10; tries++) expect(await again(guess)).toEqual([409, 0]);
    expect((await call("reinstateDevice", operator)).status).toBe(200);
    expect(await again(), "no try was used up").toEqual([200, 1]);
    await close();
  });
}

test("§1 a code that was used up costs what a wrong code costs", async () => {
  const { again, claim, call, close } = await openWorld({ freshCodeAfterRelease: true });
  await again();
  expect((await call("releaseDevice", await claim())).status).toBe(204);
  for (let tries = 0; tries < 5; tries++) expect(await again()).toEqual([409, 1]);
  expect(await again()).toEqual([429, 0]);
  await close();
});

test("§1 proof by secret needs no try, and is not refused without one", async () => {
  const { again, call, close } = await openWorld();
  const { body } = await call("registerDevice", { body: sampleRegistration() });
  for (let tries = 0; tries < 6; tries++) await again({ claimCode: "WRONG-ONE" });
  expect((await again())[0]).toBe(429);
  const { deviceSecret } = body;
  expect((await again({ deviceSecret, hardwareId: "other" }))[0]).toBe(200);
  await close();
});

test("§1 a policy of the embedder's own decides by what the code and the hardware really are", async () => {
  const asked: RegistrationFacts[] = [];
  const { again, close } = await openWorld({
    registrationPolicy: (facts) => {
      asked.push(facts);
      return facts.codeMatches && !facts.sameHardware;
    },
  });
  await again();
  expect(await again()).toEqual([409, 1]);
  expect(await again({ claimCode: "WRONG-ONE", hardwareId: "other" })).toEqual([409, 1]);
  expect(await again({ hardwareId: "other" })).toEqual([200, 1]);
  expect(asked.at(-1)).toMatchObject({ codeMatches: true, sameHardware: false });
  await close();
});
