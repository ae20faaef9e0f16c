import { expect } from "vitest";
import { z } from "zod";
import type { WireRequest, WireWorld } from "./wire-world.js";

export const params = { deviceId: "gw-1" };
const schema = z.object({ times: z.int().min(1).max(9).default(1), colour: z.string().optional() });
const commands = {
  blink: { payload: schema, sentBy: ["owner", "operator"], expiresAfterSeconds: 60 },
  unlock: { payload: z.object({}), sentBy: ["owner"], answerWithinSeconds: 30 },
  diagnose: { payload: z.object({}), sentBy: ["operator"] },
} as const;
/** The options of the cases about commands. */
export const commandOptions = { commands };

/** A device with an owner and an operator, and the calls that the cases need. */
export async function openCommandScene(world: WireWorld) {
  const { call, register, signIn } = world;
  const { token, deviceSecret } = await register();
  const alice = await signIn("alice");
  await call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
  const op = await signIn("op", { roles: ["operator"] });
  const send = (body: object, request: WireRequest = {}) =>
    call("sendCommand", { token: alice, params, body, ...request });
  return {
    ...{ token, deviceSecret, alice, op, send },
    /** Sends a command, and returns its id. */
    async sent(body: object = { name: "blink" }, request: WireRequest = {}): Promise<string> {
      const reply = await send(body, request);
      expect(reply.status).toBe(201);
      return reply.body.command.commandId;
    },
    fetch: (query: Record<string, string> = {}) => call("fetchCommands", { token, query }),
    async fetchIds(query: Record<string, string> = {}) {
      const { body } = await call("fetchCommands", { token, query });
      return body.commands.map(({ commandId }: { commandId: string }) => commandId);
    },
    report: (commandId: string, body: object) =>
      call("reportCommand", { token, params: { commandId }, body }),
    cancel: (commandId: string, by = alice) =>
      call("cancelCommand", { token: by, params: { ...params, commandId } }),
    read: async (commandId: string, by = alice) =>
      (await call("readCommand", { token: by, params: { ...params, commandId } })).body.command,
    async listed(by = alice) {
      const { body } = await call("listCommands", { token: by, params });
      return body.commands.map(({ commandId }: { commandId: string }) => commandId);
    },
  };
}
