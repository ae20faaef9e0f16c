import { createMemoryStore } from "@device-gateway/store-memory";
import { sampleRegistration } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { anyone, customer } from "../api/principal.js";
import type { SecurityEvent } from "../audit/security-event.js";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";

/** Resolves after the requests have gone as far as they can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Creates a store that holds each reservation until the test releases it. */
function createHeldStore() {
  const memory = createMemoryStore();
  /** The events of the reservations that have begun, in order. */
  const begun: SecurityEvent[] = [];
  const held: (() => void)[] = [];
  let isOpen = false;
  const budgets: typeof memory.budgets = {
    ...memory.budgets,
    async reserve(input) {
      begun.push(input.event);
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      return memory.budgets.reserve(input);
    },
  };
  return {
    store: { ...memory, budgets },
    begun,
    async releaseOne() {
      held.shift()?.();
      await settle();
    },
    /** Releases all reservations, also later ones. */
    open() {
      isOpen = true;
      for (const release of held.splice(0)) release();
    },
  };
}

/** Opens a gateway with six devices over such a store. */
async function openWorld() {
  const { store, ...rest } = createHeldStore();
  const secrets = generateSecrets();
  const gateway = await createGateway({ store, secrets, scryptCost: { logN: 4, r: 8, p: 1 } });
  const register = (deviceId: string, clientAddress: string, claimCode = "ABCD-EFGH") =>
    gateway.as(anyone, { clientAddress }).registerDevice({
      body: { ...sampleRegistration(deviceId), claimCode },
    });
  const claim = (id: string, clientAddress: string, deviceId = "gw-0", claimCode = "ABCD-EFGH") =>
    gateway.as(customer({ id, emailVerified: true }), { clientAddress }).claimDevice({
      body: { deviceId, claimCode },
    });
  for (let n = 0; n < 6; n++) {
    expect((await register(`gw-${n}`, "198.51.100.1")).isOk()).toBe(true);
  }
  return {
    ...rest,
    register,
    claim,
    /** Sends registrations with wrong codes for all six devices. */
    guess: (count: number, addressOf: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => register(`gw-${n % 6}`, addressOf(n), "WRONG-CODE")),
    /** Sends claims with wrong codes for all six devices. */
    guessInClaims: (count: number, strangerOf: (n: number) => readonly [string, string]) =>
      Array.from({ length: count }, (_, n) => claim(...strangerOf(n), `gw-${n % 6}`, "WRONG-CODE")),
  };
}

test("a registration waits for one reservation of another site, however many that site has sent", async () => {
  const { begun, register, guess, releaseOne, open } = await openWorld();
  const guesses = guess(48, (n) => `2001:db8:a:${n % 4}::1`);
  await settle();
  // The site also guesses the code of this device.
  const own = register("gw-0", "192.0.2.1");
  await settle();
  expect(begun).toHaveLength(1);
  await releaseOne();
  expect(begun).toHaveLength(2);
  expect(begun[1]?.clientAddress).toBe("192.0.2.1");
  await releaseOne();
  expect((await own).isOk()).toBe(true);
  expect(begun).toHaveLength(3);
  open();
  expect((await Promise.all(guesses)).every((guessed) => guessed.isErr())).toBe(true);
  expect(begun).toHaveLength(49);
});

test("the addresses of one site take turns with their reservations", async () => {
  const { begun, register, guess, releaseOne, open } = await openWorld();
  const guesses = guess(18, () => "2001:db8:a:1::1");
  await settle();
  const own = register("gw-0", "2001:db8:a:2::1");
  await settle();
  await releaseOne();
  const addresses = begun.map(({ clientAddress }) => clientAddress);
  expect(addresses).toEqual(["2001:db8:a:1::1", "2001:db8:a:2::1"]);
  open();
  expect((await own).isOk()).toBe(true);
  await Promise.all(guesses);
});

test.each([
  ["customer", (n: number) => ["stranger", `198.51.100.${n}`] as const],
  ["address", (n: number) => [`stranger-${n}`, "198.51.100.1"] as const],
])("a claim waits for one reservation of another %s", async (_, strangerOf) => {
  const { begun, claim, guessInClaims, releaseOne, open } = await openWorld();
  const guesses = guessInClaims(18, strangerOf);
  await settle();
  const own = claim("owner", "192.0.2.1");
  await settle();
  expect(begun).toHaveLength(1);
  await releaseOne();
  expect(begun).toHaveLength(2);
  expect(begun[1]?.actor).toBe("owner");
  open();
  expect((await own).isOk()).toBe(true);
  expect((await Promise.all(guesses)).every((guessed) => guessed.isErr())).toBe(true);
});

test("the customers of one address take turns, and registrations do not wait for claims", async () => {
  const { begun, claim, register, guessInClaims, releaseOne, open } = await openWorld();
  const guesses = guessInClaims(18, () => ["stranger", "192.0.2.1"]);
  await settle();
  const own = claim("owner", "192.0.2.1");
  await settle();
  await releaseOne();
  const again = register("gw-1", "192.0.2.1");
  await settle();
  expect(begun.map(({ actor }) => actor)).toEqual(["stranger", "owner", "device"]);
  open();
  expect((await own).isOk()).toBe(true);
  expect((await again).isOk()).toBe(true);
  await Promise.all(guesses);
});
