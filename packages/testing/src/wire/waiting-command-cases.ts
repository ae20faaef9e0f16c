import { nextTurn } from "@device-gateway/core/store";
import { expect } from "vitest";
import { commandOptions, openCommandScene, params } from "./world/command-world.js";
import type { WireCase, WireWorld } from "./world/wire-world.js";

const countWaiting = async ({ gateway }: WireWorld) => (await gateway.readLevels()).commandWaiters;
const untilWaiting = (world: WireWorld, count: number) =>
  expect.poll(() => countWaiting(world)).toBe(count);

/** Cases for §11: requests that wait for a command. */
export const waitingCommandCases: readonly WireCase[] = [
  {
    name: "§11 a request waits until a command is sent, and a later one of the device ends it",
    options: commandOptions,
    async run(world) {
      const { sent, fetchIds } = await openCommandScene(world);
      const earlier = fetchIds({ wait: "45" });
      await untilWaiting(world, 1);
      const later = fetchIds({ wait: "45" });
      expect(await earlier).toEqual([]);
      await untilWaiting(world, 1);
      const commandId = await sent();
      expect(await later).toEqual([commandId]);
      await untilWaiting(world, 0);
    },
  },
  {
    name: "§11 a request that waits ends when the device's configuration changes, and says so",
    options: commandOptions,
    async run(world) {
      const { alice, fetch } = await openCommandScene(world);
      const { configVersion } = (await fetch()).body;
      const waiting = fetch({ wait: "45" });
      await untilWaiting(world, 1);
      const settings = { telemetryIntervalSeconds: 30 };
      await world.call("changeDeviceConfig", { token: alice, params, body: settings });
      const { body } = await waiting;
      expect(body.commands).toEqual([]);
      expect(body.configVersion).not.toBe(configVersion);
    },
  },
  {
    name: "§11 an update-now reaches a device that waits",
    async run(world) {
      const { alice, fetch } = await openCommandScene(world);
      const waiting = fetch({ wait: "45" });
      await untilWaiting(world, 1);
      const { requestId } = (await world.call("commandUpdate", { token: alice, params })).body;
      expect((await waiting).body.commands).toMatchObject([
        { commandId: requestId, name: "update-now", payload: {}, expiresInSeconds: 31_536_000 },
      ]);
    },
  },
  {
    name: "§11 a request that waits ends when the device is revoked",
    options: commandOptions,
    async run(world) {
      const { op, sent, fetch } = await openCommandScene(world);
      const taken = await sent();
      await fetch();
      const waiting = fetch({ wait: "45", after: taken });
      await untilWaiting(world, 1);
      await world.call("revokeDevice", { token: op, params });
      const ended = await waiting;
      expect([ended.status, ended.body.code]).toEqual([401, "unauthorized"]);
    },
  },
  ...(["retire", "endLiveStreams"] as const).map((stop) => ({
    name: `§11 requests that wait end when the gateway stops (${stop}), and later ones do not wait`,
    options: commandOptions,
    async run(world: WireWorld) {
      const { fetchIds, sent } = await openCommandScene(world);
      const waiting = fetchIds({ wait: "45" });
      await untilWaiting(world, 1);
      world.gateway[stop]();
      // The stop ends the request within a few turns of the event loop. By itself, it would end after 45 s.
      for (let n = 0; n < 100 && (await countWaiting(world)) > 0; n++) await nextTurn();
      expect(await countWaiting(world)).toBe(0);
      expect(await waiting).toEqual([]);
      let isAnswered = false;
      const later = fetchIds({ wait: "45" }).finally(() => {
        isAnswered = true;
      });
      await expect.poll(async () => isAnswered || (await countWaiting(world)) > 0).toBe(true);
      expect(isAnswered, "it did not wait").toBe(true);
      expect(await later).toEqual([]);
      const commandId = await sent();
      expect(await fetchIds({ wait: "45" })).toEqual([commandId]);
    },
  })),
  {
    name: "§11 too many requests that wait get an empty response at once",
    options: { ...commandOptions, limits: { commandWaiters: 1 } },
    async run(world) {
      const { sent, fetchIds } = await openCommandScene(world);
      const { token } = await world.register("gw-2");
      const first = fetchIds({ wait: "45" });
      await untilWaiting(world, 1);
      const refused = await world.call("fetchCommands", { token, query: { wait: "45" } });
      expect(refused.body.commands).toEqual([]);
      const commandId = await sent();
      expect(await first).toEqual([commandId]);
    },
  },
];
