import { expect } from "vitest";
import { boot, historyOf, offeredTo, otaOptions, release, report } from "../world/ota-world.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };

async function owned(world: WireWorld) {
  const { token } = await world.register();
  const alice = await world.signIn("alice");
  const body = { ...params, claimCode: "ABCD-EFGH" };
  await world.call("claimDevice", { token: alice, body });
  return { token, alice };
}

/** Cases for §8: "update now" requests. */
export const updateNowCases: readonly WireCase[] = [
  {
    name: "§8 an update request waits in the device's configuration until the device answers",
    async run(world) {
      const { call, clock } = world;
      const { token, alice } = await owned(world);
      const config = async () => (await call("readConfig", { token })).body;
      const command = async () =>
        (await call("readUpdateCommand", { token: alice, params })).body.command;
      const before = await config();
      expect(before.otaUpdateRequestId).toBeUndefined();
      expect(await command()).toBeNull();

      const asked = await call("commandUpdate", { token: alice, params });
      expect(asked.status).toBe(202);
      const { requestId } = asked.body;
      const requestedAt = new Date(clock.now()).toISOString();
      const again = await call("commandUpdate", { token: alice, params });
      expect(again.body).toEqual({ requestId });
      const waiting = { requestId, requestedAt, message: null, answeredAt: null };
      expect(await command()).toEqual({ ...waiting, status: "waiting" });
      const known = { "if-none-match": `"${before.configVersion}"` };
      const changed = await call("readConfig", { token, headers: known });
      expect([changed.status, changed.body.otaUpdateRequestId]).toEqual([200, requestId]);
      expect((await call("sendTelemetry", { token, body: { a: 1 } })).body.configVersion).toBe(
        changed.body.configVersion,
      );

      const answer = (body: object) => call("answerUpdateCommand", { token, body });
      const other = await answer({ requestId: "another", status: "failed" });
      expect([other.status, other.body]).toEqual([202, { status: "accepted" }]);
      expect((await config()).otaUpdateRequestId).toBe(requestId);
      clock.advance(5_000);
      const body = { requestId, status: "no-update-available", message: "up to date" };
      expect((await answer(body)).status).toBe(202);
      expect(await config()).toEqual(before);
      const answeredAt = new Date(clock.now()).toISOString();
      expect(await command()).toEqual({
        requestId,
        requestedAt,
        status: "no-update-available",
        message: "up to date",
        answeredAt,
      });
      const history = await historyOf(world);
      expect(history).toMatchObject([
        { source: "command", state: "cancelled", lastResult: body.status, message: body.message },
      ]);
      const next = await call("commandUpdate", { token: alice, params });
      expect(next.body.requestId).not.toBe(requestId);
    },
  },
  {
    name: "§8 only the owner can request an update, and the request ends with their ownership",
    async run(world) {
      const { call, signIn } = world;
      const { token, alice } = await owned(world);
      const ask = (user?: string) =>
        call("commandUpdate", { params, ...(user !== undefined && { token: user }) });
      expect((await ask()).status).toBe(401);
      expect((await ask(await signIn("bob"))).status).toBe(404);
      const operator = await signIn("op", { roles: ["operator"] });
      const refused = await ask(operator);
      expect([refused.status, refused.body.code]).toEqual([403, "not_owner"]);
      const seen = await call("readUpdateCommand", { token: operator, params });
      expect([seen.status, seen.body]).toEqual([200, { command: null }]);
      expect((await call("readUpdateCommand", { params })).status).toBe(401);
      expect((await call("readUpdateCommand", { token: await signIn("bob"), params })).status).toBe(
        404,
      );

      const { requestId } = (await ask(alice)).body;
      expect((await call("readConfig", { token })).body.otaUpdateRequestId).toBe(requestId);
      await call("releaseDevice", { token: alice, params });
      const device = await world.store.devices.find("gw-1");
      expect(device?.ota.command).toBeNull();
    },
  },
  {
    name: "§6 an answer to an update request that reports no result is recorded neither as an offer without a version nor as a second success",
    options: otaOptions,
    async run(world) {
      const { call, register } = world;
      const device = await register();
      const { token } = device;
      const alice = await world.signIn("alice");
      await call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
      const answer = async (status: string) => {
        const { requestId } = (await call("commandUpdate", { token: alice, params })).body;
        const body = { requestId, status };
        expect((await call("answerUpdateCommand", { token, body })).status).toBe(202);
        const [last] = (await historyOf(world)).reverse();
        return last;
      };
      const none = { state: "cancelled", offeredVersion: null };
      for (const status of ["update-available", "no-update-available", "later"]) {
        expect(await answer(status)).toMatchObject({ ...none, lastResult: status });
      }
      await release(world, "1.0.0");
      await offeredTo(world, token);
      const open = { state: "offered", offeredVersion: "1.0.0", fromVersion: "0.1.10" };
      for (const status of ["update-available", "later"]) {
        expect(await answer(status)).toMatchObject(open);
      }
      await boot(world, device, "1.0.0");
      for (const status of ["update-available", "no-update-available"]) {
        expect(await answer(status)).toMatchObject({ ...none, fromVersion: "1.0.0" });
      }
      expect(await answer("success")).toMatchObject({ ...open, state: "succeeded" });
    },
  },
  {
    name: "§6 the history has the former version at each success, however often the device reports it",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { token } = device;
      await release(world, "1.0.0");
      await offeredTo(world, token);
      await boot(world, device, "1.0.0");
      const ota = { offeredVersion: "1.0.0", lastResult: "updated", updateApplied: true };
      await world.call("sendTelemetry", { token, body: { a: 1, ota } });
      await report(world, token, "succeeded");
      const successes = (await historyOf(world)).filter(({ state }) => state === "succeeded");
      expect(successes.map(({ source, fromVersion }) => [source, fromVersion])).toEqual([
        ["server", "0.1.10"],
        ["telemetry", "0.1.10"],
        ["device", "0.1.10"],
      ]);
    },
  },
  {
    name: "§6 an answer to an update request needs its id, a status and a device token",
    async run({ call, register }) {
      const { token } = await register();
      for (const body of [
        {},
        { requestId: "one" },
        { status: "done" },
        { requestId: "", status: "a" },
      ]) {
        expect((await call("answerUpdateCommand", { token, body })).status).toBe(400);
      }
      const body = { requestId: "one", status: "done" };
      expect((await call("answerUpdateCommand", { body })).status).toBe(401);
      expect((await call("answerUpdateCommand", { token, body })).status).toBe(202);
    },
  },
];
