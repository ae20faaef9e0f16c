import { device } from "@device-gateway/core";
import { expect } from "vitest";
import { commandOptions, openCommandScene, params } from "./world/command-world.js";
import type { WireCase } from "./world/wire-world.js";

const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)]);

/** Cases for §11: commands to devices. */
export const commandCases: readonly WireCase[] = [
  {
    name: "§11 a device fetches a command with what its schema returned, and its result ends the command",
    options: commandOptions,
    async run(world) {
      const { send, fetch, report, read, listed, alice } = await openCommandScene(world);
      const { clock, call } = world;
      const at = () => new Date(clock.now()).toISOString();
      const sentAt = at();
      const reply = await send({ name: "blink", payload: { colour: "red" } });
      const { commandId } = reply.body.command;
      expect(reply.body.command).toEqual({
        ...{ commandId, name: "blink", payload: { times: 1, colour: "red" }, state: "pending" },
        ...{ sentAt, expiresAt: new Date(clock.now() + 60_000).toISOString() },
        ...{ deliveredAt: null, endedAt: null, answer: null, answeredAt: null },
      });
      clock.advance(20_500);
      const fetched = await fetch();
      const payload = { times: 1, colour: "red" };
      expect(fetched.body).toMatchObject({
        commands: [{ commandId, name: "blink", payload, expiresInSeconds: 40 }],
        serverTime: at(),
      });
      expect(await read(commandId)).toMatchObject({ state: "delivered", deliveredAt: at() });
      clock.advance(1_000);
      const answer = { status: "done", result: { shown: [1, null] }, message: "ok" };
      expect((await report(commandId, answer)).body).toEqual({ status: "accepted" });
      const ended = await read(commandId);
      expect(ended).toMatchObject({ state: "done", endedAt: at(), answer, answeredAt: at() });
      expect((await report(commandId, { status: "failed" })).status).toBe(202);
      expect(await read(commandId)).toEqual(ended);
      const missing = await report("of-nobody", { status: "done" });
      expect([missing.status, missing.body.code]).toEqual([404, "command_not_found"]);

      await send({ name: "blink" });
      expect(await listed()).toHaveLength(2);
      const query = { limit: "1" };
      const first = await call("listCommands", { token: alice, params, query });
      const rest = await call("listCommands", {
        ...{ token: alice, params, query: { ...query, cursor: first.body.nextCursor } },
      });
      expect(rest.body).toMatchObject({ commands: [{ commandId }], nextCursor: null });
    },
  },
  {
    name: "§11 telemetry's answer and the configuration say that a command waits, until it is answered",
    options: commandOptions,
    async run(world) {
      const { token, deviceSecret, sent, fetchIds, report } = await openCommandScene(world);
      const { call } = world;
      const config = async (etag?: string) =>
        call("readConfig", { token, headers: etag === undefined ? {} : { "if-none-match": etag } });
      const hint = async () => {
        const telemetry = await call("sendTelemetry", { token, body: { a: 1 } });
        expect(telemetry.body.configVersion).toBe(before.body.configVersion);
        return telemetry.body.commandsWaiting;
      };
      const before = await config();
      expect(before.body.commandsWaiting).toBeUndefined();
      expect(await hint()).toBeUndefined();
      const commandId = await sent();
      expect(await hint()).toBe(true);
      // The version is the same, so that no device applies its configuration again. The ETag differs.
      const waiting = await config(before.headers.get("etag") ?? "");
      expect([waiting.status, waiting.body]).toEqual([
        200,
        { ...before.body, commandsWaiting: true },
      ]);
      expect((await config(waiting.headers.get("etag") ?? "")).status).toBe(304);
      const login = await call("loginDevice", { body: { deviceId: "gw-1", deviceSecret } });
      expect(login.body.config, "a login returns the same").toEqual(waiting.body);
      expect(await fetchIds()).toEqual([commandId]);
      expect(await hint(), "the response may have been lost").toBe(true);
      await report(commandId, { status: "failed" });
      expect(await hint()).toBeUndefined();
      expect((await config()).body).toEqual(before.body);
    },
  },
  {
    name: "§11 commands that a device did not acknowledge are delivered again, in order and in parts",
    options: commandOptions,
    async run(world) {
      const { sent, fetchIds } = await openCommandScene(world);
      const [one, two, three] = [await sent(), await sent(), await sent()];
      expect(await fetchIds({ limit: "2" })).toEqual([one, two]);
      expect(await fetchIds()).toEqual([one, two, three]);
      expect(await fetchIds({ after: two })).toEqual([three]);
      expect(await fetchIds({ after: three })).toEqual([]);
      expect(await fetchIds({ after: "of-an-earlier-server" })).toEqual([one, two, three]);
    },
  },
  {
    name: "§11 a command expires only before it is delivered, becomes unknown without an answer, and keeps a late answer",
    options: commandOptions,
    async run(world) {
      const { sent, fetchIds, report, read } = await openCommandScene(world);
      const { call, clock, gateway, signIn } = world;
      const left = await sent();
      const taken = await sent({ name: "unlock" });
      expect(await fetchIds({ after: left })).toEqual([taken]);
      clock.advance(29_999);
      expect((await read(taken)).state).toBe("delivered");
      clock.advance(1);
      const due = new Date(clock.now()).toISOString();
      expect(await read(taken)).toMatchObject({ state: "unknown", endedAt: due });
      clock.advance(30_000);
      expect((await read(left)).state).toBe("expired");
      expect(await fetchIds()).toEqual([]);
      await gateway.maintain();
      expect((await read(left)).state).toBe("expired");
      expect((await report(taken, { status: "done" })).status).toBe(202);
      const late = { answer: { status: "done", result: null, message: null } };
      expect(await read(taken)).toMatchObject({ state: "unknown", ...late });
      expect((await report(left, { status: "done" })).body.code).toBe("command_not_found");
      clock.advance(31 * 86_400_000);
      await gateway.maintain();
      // Alice's first token has expired.
      const token = await signIn("alice");
      const gone = await call("readCommand", { token, params: { ...params, commandId: taken } });
      expect([gone.status, gone.body.code]).toEqual([404, "command_not_found"]);
    },
  },
  {
    name: "§11 each command is sent only by those whom its declaration names",
    options: commandOptions,
    async run(world) {
      const { send, sent, op, alice, cancel } = await openCommandScene(world);
      const code = async (name: string, token: string) => {
        const { status, body } = await send({ name }, { token });
        return status === 201 ? 201 : body.code;
      };
      expect(await code("blink", op)).toBe(201);
      expect(await code("diagnose", op)).toBe(201);
      expect(await code("unlock", op)).toBe("not_owner");
      expect(await code("diagnose", alice)).toBe("forbidden");
      expect(await code("unlock", alice)).toBe(201);
      expect(await code("blink", await world.signIn("bob"))).toBe("device_not_found");
      const unlock = await sent({ name: "unlock" });
      expect((await cancel(unlock, op)).body.code).toBe("not_owner");
      expect((await cancel(unlock)).body.command.state).toBe("cancelled");
    },
  },
  {
    name: "§11 a command that the schema refuses, an unknown one and too large a payload are 400",
    options: commandOptions,
    async run(world) {
      const { send, report, sent, fetchIds } = await openCommandScene(world);
      const refused = async (body: object) => {
        const { status, body: problem } = await send(body);
        expect([status, problem.code]).toEqual([400, "invalid_request"]);
        return problem.errors[0];
      };
      const payload = { times: 0 };
      expect((await refused({ name: "blink", payload })).path).toBe("payload.times");
      expect((await refused({ name: "blink", payload: { size: 1 } })).path).toBe("payload.size");
      expect((await refused({ name: "reboot" })).message).toContain("blink, unlock, diagnose");
      const colour = "x".repeat(4_096);
      expect((await refused({ name: "blink", payload: { colour } })).code).toBe("too_big");
      expect((await refused({ name: "blink", expiresAfterSeconds: 61 })).path).toBe(
        "expiresAfterSeconds",
      );
      expect((await refused({ name: "blink", payload: { colour: nest(40) } })).code).toBe(
        "too_deep",
      );
      const commandId = await sent({ name: "blink", expiresAfterSeconds: 5 });
      await fetchIds();
      const tooLarge = await report(commandId, { status: "done", result: "x".repeat(4_096) });
      expect([tooLarge.status, tooLarge.body.errors[0].code]).toEqual([400, "too_big"]);
    },
  },
  {
    name: "§11 a command with an Idempotency-Key is sent once, and the key sends no other command",
    options: commandOptions,
    async run(world) {
      const { send, listed } = await openCommandScene(world);
      const request = { headers: { "idempotency-key": "button-1" } };
      const first = await send({ name: "blink" }, request);
      const again = await send({ name: "blink", payload: { times: 1 } }, request);
      expect([again.status, again.body]).toEqual([200, first.body]);
      const other = await send({ name: "blink", payload: { times: 2 } }, request);
      expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
      expect(await listed()).toHaveLength(1);
    },
  },
  {
    name: "§11 only a pending command can be cancelled, and the number of open commands is limited",
    options: { ...commandOptions, limits: { commandsPerDevice: 2 } },
    async run(world) {
      const { send, sent, fetchIds, cancel, op } = await openCommandScene(world);
      const { call } = world;
      const [one, two] = [await sent(), await sent()];
      const full = await send({ name: "blink" });
      expect([full.status, full.body.code]).toEqual([409, "too_many_commands"]);
      expect(await fetchIds({ limit: "1" })).toEqual([one]);
      const refused = await cancel(one);
      expect([refused.status, refused.body.code]).toEqual([409, "command_not_pending"]);
      for (const { status, body } of await Promise.all([cancel(two), cancel(two)])) {
        expect([status, body.command.state]).toEqual([200, "cancelled"]);
      }
      expect((await cancel("of-nobody")).body.code).toBe("command_not_found");
      const { events } = (await call("readAuditTrail", { token: op })).body;
      const ofCommands = events.filter(({ kind }: { kind: string }) => kind.includes("command"));
      expect(ofCommands).toMatchObject([
        { kind: "device.command_sent", actor: "alice", details: { commandId: one, name: "blink" } },
        { kind: "device.command_sent", details: { commandId: two } },
        { kind: "device.command_cancelled", actor: "alice", details: { commandId: two } },
      ]);
      await sent();
    },
  },
  {
    name: "§11 a new owner's device gets none of the old commands, and the owner sees none",
    options: commandOptions,
    async run(world) {
      const { alice, sent, fetchIds, read, op } = await openCommandScene(world);
      const { call, signIn, clock, gateway } = world;
      const [taken, left] = [await sent(), await sent()];
      await fetchIds({ limit: "1" });
      clock.advance(1);
      await call("releaseDevice", { token: alice, params });
      const bob = await signIn("bob");
      clock.advance(1);
      await call("claimDevice", { token: bob, body: { ...params, claimCode: "ABCD-EFGH" } });
      const api = gateway.as(device("gw-1"));
      const fetched = await api.fetchCommands({});
      expect(fetched._unsafeUnwrap().body).toMatchObject({ commands: [] });
      expect((await read(taken, op)).state).toBe("unknown");
      expect((await read(left, op)).state).toBe("cancelled");
      expect((await call("listCommands", { token: bob, params })).body.commands).toEqual([]);
      expect(await read(left, bob)).toBeUndefined();
    },
  },
  {
    name: "§11 a customer who claims a device gets none of the commands that an operator sent before",
    options: commandOptions,
    async run({ call, register, signIn }) {
      const { token } = await register();
      const op = await signIn("op", { roles: ["operator"] });
      const body = { name: "diagnose" };
      const sent = await call("sendCommand", { token: op, params, body });
      expect(sent.status).toBe(201);
      const { commandId } = sent.body.command;
      const alice = await signIn("alice");
      await call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
      expect((await call("fetchCommands", { token })).body.commands).toEqual([]);
      const read = { token: op, params: { ...params, commandId } };
      expect((await call("readCommand", read)).body.command.state).toBe("cancelled");
    },
  },
];
