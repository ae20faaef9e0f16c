import { expect } from "vitest";
import { openCommandScene, params } from "../world/command-world.js";
import { historyOf } from "../world/ota-world.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

async function openScene(world: WireWorld) {
  const scene = await openCommandScene(world);
  const { call } = world;
  const { token, alice } = scene;
  return {
    ...scene,
    /** Asks for an update, and returns the id of the request. */
    async ask(): Promise<string> {
      const reply = await call("commandUpdate", { token: alice, params });
      expect(reply.status).toBe(202);
      return reply.body.requestId;
    },
    answer: (requestId: string, status: string) =>
      call("answerUpdateCommand", { token, body: { requestId, status } }),
    shown: async () => (await call("readUpdateCommand", { token: alice, params })).body.command,
    hint: async () => (await call("readConfig", { token })).body.otaUpdateRequestId,
  };
}

/** Cases for §11: an "update now" request is a command. */
export const updateCommandCases: readonly WireCase[] = [
  {
    name: "§11 an update-now is in the list of commands, and the device's own words move it",
    async run(world) {
      const { ask, answer, read, listed, shown, hint } = await openScene(world);
      const id = await ask();
      expect(await listed()).toEqual([id]);
      const sent = { name: "update-now", payload: {}, state: "pending", answer: null };
      expect(await read(id)).toMatchObject(sent);
      await answer(id, "downloading");
      expect(await hint(), "the first answer ends the hint").toBeUndefined();
      expect(await read(id)).toMatchObject({ ...sent, state: "delivered" });
      await answer(id, "not-verified");
      const failed = { status: "failed", result: "not-verified", message: null };
      expect(await read(id)).toMatchObject({ state: "failed", answer: failed });
      await answer(id, "success");
      expect((await read(id)).state, "final states never change").toBe("failed");
      expect((await shown()).status).toBe("success");
      const words = (await historyOf(world)).map(({ lastResult }) => lastResult);
      expect(words).toEqual(["downloading", "not-verified", "success"]);

      for (const word of ["no-update-available", "runs 1.2.3", "success"]) {
        const next = await ask();
        await answer(next, word);
        const done = { status: "done", result: word, message: null };
        expect(await read(next)).toMatchObject({ state: "done", answer: done });
      }
    },
  },
  {
    name: "§11 a device that fetches an update-now as a command also ends its request",
    async run(world) {
      const { ask, fetchIds, report, read, shown, hint } = await openScene(world);
      const id = await ask();
      expect(await fetchIds()).toEqual([id]);
      expect((await read(id)).state).toBe("delivered");
      expect([await hint(), (await shown()).status]).toEqual([id, "waiting"]);
      expect(await ask(), "it waits until it is answered").toBe(id);
      const body = { status: "done", result: "up_to_date", message: "Runs 1.0.0." } as const;
      expect((await report(id, body)).status).toBe(202);
      expect(await read(id)).toMatchObject({ state: "done", answer: body });
      expect(await hint()).toBeUndefined();
      expect(await shown()).toMatchObject({ status: "done", message: body.message });
      expect(await historyOf(world)).toMatchObject([{ source: "command", lastResult: "done" }]);
      expect(await fetchIds()).toEqual([]);
    },
  },
  {
    name: "§11 an update-now can be cancelled, expires after a year, and ends with a revocation",
    async run(world) {
      const { ask, cancel, read, shown, hint, op, answer } = await openScene(world);
      const first = await ask();
      expect((await cancel(first, op)).body.code).toBe("not_owner");
      expect((await cancel(first)).body.command.state).toBe("cancelled");
      expect([await hint(), await shown()]).toEqual([undefined, null]);
      await answer(first, "success");
      expect((await read(first)).state).toBe("cancelled");
      expect((await shown()).status).toBe("success");

      const second = await ask();
      await world.call("revokeDevice", { token: op, params });
      expect((await read(second)).state).toBe("cancelled");
      const third = await ask();
      expect((await read(third)).state, "it waits until the device is reinstated").toBe("pending");
      const stateAfter = async (days: number) => {
        world.clock.advance(days * 86_400_000);
        await world.gateway.maintain();
        return (await world.store.commands.find({ ...params, commandId: third }))?.state;
      };
      expect([await stateAfter(364), await stateAfter(1)]).toEqual(["pending", "expired"]);
      expect((await world.store.devices.find("gw-1"))?.ota.isCommandOpen).toBe(false);
    },
  },
  {
    name: "§11 an update-now can be sent as a command by the owner, once while it waits",
    async run(world) {
      const { ask, sent, send, listed, op, read, report, answer } = await openScene(world);
      const name = "update-now";
      const id = await sent({ name });
      expect(await ask()).toBe(id);
      const again = await send({ name });
      expect([again.status, again.body.command.commandId]).toEqual([200, id]);
      expect((await send({ name }, { token: op })).body.code).toBe("not_owner");
      expect((await send({ name, payload: { a: 1 } })).body.code).toBe("invalid_request");
      expect(await listed()).toEqual([id]);
      const { events } = (await world.call("readAuditTrail", { token: op })).body;
      const kinds = events.filter(({ actor }: { actor: string }) => actor === "alice");
      expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual([
        ...["device.claimed", "device.update_requested"],
      ]);
      await answer(id, "later");
      expect((await report(id, { status: "failed" })).status).toBe(202);
      expect((await read(id)).state).toBe("done");
    },
  },
];
