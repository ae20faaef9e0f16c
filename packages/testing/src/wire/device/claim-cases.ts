import { customer } from "@device-gateway/core";
import { expect } from "vitest";
import { expectRetryAfter } from "../world/expect-retry-after.js";
import { sampleRegistration, type WireCase, type WireWorld } from "../world/wire-world.js";

const minute = 60_000;

const claim = (world: WireWorld, token: string, body: object) =>
  world.call("claimDevice", { token, body });
const claimWith = (world: WireWorld, token: string, claimCode: string, deviceId = "gw-1") =>
  claim(world, token, { deviceId, claimCode });
const registerLegacy = async ({ call }: WireWorld, deviceId = "old-1") => {
  const body = { ...sampleRegistration(deviceId), firmwareVersion: "0.1.3", claimCode: undefined };
  return (await call("registerDevice", { body })).body as { token: string; deviceSecret: string };
};
const outcomeOf = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

/** Cases for §3. */
export const claimCases: readonly WireCase[] = [
  {
    name: "§3 a correct code claims a device in any notation, and a second claim reports already_owned",
    async run(world) {
      const { register, signIn, clock } = world;
      await register();
      const alice = await signIn("alice");
      const claimedAt = new Date(clock.now()).toISOString();
      const first = await claimWith(world, alice, "abcd efgh");
      expect(first.status).toBe(200);
      expect(first.body).toEqual({ deviceId: "gw-1", status: "claimed", claimedAt });
      clock.advance(minute);
      const second = await claimWith(world, alice, "ABCD-EFGH");
      expect(second.body).toEqual({ deviceId: "gw-1", status: "already_owned", claimedAt });
    },
  },
  {
    name: "§3 step 1: a request without a customer token is 401 unauthorized, whatever its body",
    async run(world) {
      const { call, register, clock, signIn } = world;
      const { token } = await register();
      const alice = await signIn("alice");
      for (const wrong of [undefined, token, `${alice}x`]) {
        const request = wrong === undefined ? { raw: "{" } : { raw: "{", token: wrong };
        const reply = await call("claimDevice", request);
        expect([...outcomeOf(reply), reply.body.error]).toEqual([
          401,
          "unauthorized",
          "Unauthorized",
        ]);
      }
      clock.advance(8 * 86_400_000);
      expect(outcomeOf(await claimWith(world, alice, "ABCD-EFGH"))).toEqual([401, "unauthorized"]);
    },
  },
  {
    name: "§3 step 2: a missing or empty deviceId is 400, and so is a missing or empty code and secret",
    async run(world) {
      await world.register();
      const alice = await world.signIn("alice", { emailVerified: false });
      const bodies = [
        {},
        { claimCode: "ABCD-EFGH" },
        { deviceId: "gw-1" },
        { deviceId: "gw-1", claimCode: "" },
        { deviceId: "gw-1", claimCode: "", deviceSecret: "" },
        { deviceId: "", claimCode: "ABCD-EFGH" },
      ];
      for (const body of bodies) {
        expect([body, ...outcomeOf(await claim(world, alice, body))]).toEqual([
          body,
          400,
          "invalid_request",
        ]);
      }
    },
  },
  {
    name: "§3 step 3: a customer with an unverified e-mail address gets 403 before an attempt is reserved",
    async run(world) {
      await world.register();
      const alice = await world.signIn("alice", { emailVerified: false });
      for (let i = 0; i < 10; i++) {
        const reply = await claimWith(world, alice, i % 2 ? "ABCD-EFGH" : "WRONG-ONE");
        expect(outcomeOf(reply)).toEqual([403, "email_not_verified"]);
      }
      const verified = await world.signIn("alice");
      expect((await claimWith(world, verified, "ABCD-EFGH")).status).toBe(200);
    },
  },
  {
    name: "§3 step 3: e-mail verification can be switched off",
    options: { requireVerifiedEmail: false },
    async run(world) {
      await world.register();
      const alice = await world.signIn("alice", { emailVerified: false });
      expect((await claimWith(world, alice, "ABCD-EFGH")).status).toBe(200);
    },
  },
  {
    name: "§3 steps 5 and 6: an unknown device, a wrong code and a malformed code get the same 401",
    async run(world) {
      const { call, register, signIn } = world;
      await register();
      const alice = await signIn("alice");
      const headers = { "x-request-id": "same" };
      const answers = [];
      for (const body of [
        { deviceId: "gw-1", claimCode: "WRONG-ONE" },
        { deviceId: "gw-1", claimCode: "?!" },
        { deviceId: "gw-1", claimCode: "A".repeat(300) },
        { deviceId: "unknown", claimCode: "ABCD-EFGH" },
        { deviceId: "gw-1", claimCode: "WRONG-ONE", deviceSecret: "x" },
      ]) {
        const reply = await call("claimDevice", { token: alice, body, headers });
        const sent = [...reply.headers].filter(([name]) => name !== "date");
        answers.push(JSON.stringify([reply.status, sent, reply.body]));
      }
      expect(JSON.parse(answers[0] ?? "")[2]).toMatchObject({ code: "invalid_claim", status: 401 });
      expect(JSON.parse(answers[0] ?? "")[2].error).not.toBe("Unauthorized");
      expect(new Set(answers).size).toBe(1);
    },
  },
  {
    name: "§3 steps 5 and 6: a secret without a code is 400 for a device with a code and for an unknown one",
    async run(world) {
      const { deviceSecret } = await world.register();
      const alice = await world.signIn("alice");
      for (const deviceId of ["gw-1", "unknown"]) {
        const reply = await claim(world, alice, { deviceId, deviceSecret });
        expect(outcomeOf(reply)).toEqual([400, "claim_code_required"]);
      }
    },
  },
  {
    name: "§3 step 6: a legacy device is claimed with its secret, and a missing secret is 400",
    async run(world) {
      const { deviceSecret } = await registerLegacy(world);
      const alice = await world.signIn("alice");
      const send = (proof: object) => claim(world, alice, { deviceId: "old-1", ...proof });
      expect(outcomeOf(await send({ claimCode: "ABCD-EFGH" }))).toEqual([
        400,
        "device_secret_required",
      ]);
      expect(outcomeOf(await send({ deviceSecret: "wrong" }))).toEqual([401, "invalid_claim"]);
      const both = await send({ claimCode: "WRONG-ONE", deviceSecret });
      expect([both.status, both.body.status]).toEqual([200, "claimed"]);
    },
  },
  {
    name: "§3 step 7: only a correct code reveals that another customer owns the device",
    async run(world) {
      await world.register();
      const [alice, bob] = [await world.signIn("alice"), await world.signIn("bob")];
      await claimWith(world, alice, "ABCD-EFGH");
      expect(outcomeOf(await claimWith(world, bob, "WRONG-ONE"))).toEqual([401, "invalid_claim"]);
      expect(outcomeOf(await claimWith(world, bob, "ABCD-EFGH"))).toEqual([409, "already_claimed"]);
    },
  },
  {
    name: "§3 one of many concurrent customers wins, and the audit trail names the winner",
    async run(world) {
      await world.register();
      const names = Array.from({ length: 12 }, (_, i) => `customer-${i}`);
      const tokens = await Promise.all(names.map((name) => world.signIn(name)));
      const replies = await Promise.all(
        tokens.map((token) => claimWith(world, token, "ABCD-EFGH")),
      );
      const winners = names.filter((_, i) => replies[i]?.status === 200);
      expect(winners).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(11);
      const events = await world.store.securityEvents.list({ after: 0, limit: 100 });
      const claims = events.filter(({ kind }) => kind === "device.claimed");
      expect(claims.map(({ actor }) => actor)).toEqual(winners);
    },
  },
  {
    name: "§9 after five wrong codes of a customer for a device in 15 minutes, even the correct code is 429",
    async run(world) {
      const { register, signIn, clock, store } = world;
      await register();
      const alice = await signIn("alice");
      for (let i = 0; i < 5; i++) {
        expect((await claimWith(world, alice, `WRONG-${i}XX`)).status).toBe(401);
        clock.advance(minute);
      }
      const refused = await claimWith(world, alice, "ABCD-EFGH");
      expect(outcomeOf(refused)).toEqual([429, "too_many_attempts"]);
      expectRetryAfter(refused.headers, 600);
      const events = await store.securityEvents.list({ after: 0, limit: 100 });
      expect(events.filter(({ kind }) => kind === "budget.spent")).toHaveLength(1);

      const bob = await signIn("bob");
      expect((await claimWith(world, bob, "WRONG-ONE")).status).toBe(401);
      clock.advance(10 * minute);
      expect((await claimWith(world, alice, "ABCD-EFGH")).status).toBe(200);
    },
  },
  {
    name: "§3 a correct claim refunds its attempt, and a wrong code never invalidates the claim code",
    async run(world) {
      await world.register();
      const alice = await world.signIn("alice");
      for (let i = 0; i < 4; i++) await claimWith(world, alice, "WRONG-ONE");
      for (let i = 0; i < 8; i++) {
        expect((await claimWith(world, alice, "ABCD-EFGH")).status).toBe(200);
      }
      expect((await claimWith(world, alice, "WRONG-ONE")).status).toBe(401);
      expect((await claimWith(world, alice, "WRONG-ONE")).status).toBe(429);
    },
  },
  {
    name: "§9 a customer has 30 wrong codes an hour over all devices, unknown devices included",
    async run(world) {
      const alice = await world.signIn("alice");
      for (let i = 0; i < 30; i++) {
        expect((await claimWith(world, alice, "ABCD-EFGH", `no-${i}`)).status).toBe(401);
      }
      expect((await claimWith(world, alice, "ABCD-EFGH", "no-31")).status).toBe(429);
    },
  },
  {
    name: "§9 a fleet with too many wrong codes locks nobody out, and one security event reports it",
    options: { limits: { fleetFailuresPerHour: 2 } },
    async run(world) {
      for (let i = 1; i <= 3; i++) {
        const deviceId = `gw-${i}`;
        await world.register(deviceId);
        const stranger = await world.signIn(`stranger-${i}`);
        expect((await claimWith(world, stranger, "WRONG-ONE", deviceId)).status).toBe(401);
      }
      const alice = await world.signIn("alice");
      expect((await claimWith(world, alice, "ABCD-EFGH")).status).toBe(200);
      const events = await world.store.securityEvents.list({ after: 0, limit: 100 });
      const spent = events.filter(({ kind }) => kind === "budget.spent");
      expect(spent.map(({ details }) => details["budget"])).toEqual(["claim:fleet"]);
    },
  },
  {
    name: "§9 strangers who spend a device's budget do not lock its owner out",
    async run(world) {
      await world.register();
      for (let i = 0; i < 10; i++) {
        // Calls in code use the same budgets and cost a fraction of a request.
        const stranger = world.gateway.as(customer({ id: `stranger-${i}`, emailVerified: true }));
        for (let j = 0; j < 5; j++) {
          const claimed = await stranger.claimDevice({
            body: { deviceId: "gw-1", claimCode: "WRONG-ONE" },
          });
          expect(claimed._unsafeUnwrapErr().status).toBe(401);
        }
      }
      const late = await world.signIn("late-stranger");
      const statuses = [];
      for (let i = 0; i < 4; i++) {
        statuses.push((await claimWith(world, late, "WRONG-ONE")).status);
      }
      expect(statuses).toEqual([401, 401, 401, 429]);
      const owner = await world.signIn("owner");
      for (let i = 0; i < 2; i++) await claimWith(world, owner, "WRONG-ONE");
      expect((await claimWith(world, owner, "ABCD-EFGH")).status).toBe(200);
    },
  },
];
