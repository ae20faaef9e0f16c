import { expect } from "vitest";
import { image, releaseAdmin, signSample } from "./world/firmware-world.js";
import { historyOf } from "./world/ota-world.js";
import type { WireCase } from "./world/wire-world.js";

const awkward = "one\u0000two\ud800";
const kept = "one\ufffdtwo\ufffd";
/** After a cut at an even length, this text ends with half of a surrogate pair. */
const pairs = "🛰".repeat(2_000).slice(1);

/** JSON can contain text that UTF-8 and some databases cannot store. Such text must not make a request fail. */
export const awkwardTextCases: readonly WireCase[] = [
  {
    name: "§4 a record with an OTA section that a database cannot store is stored like any other",
    async run(world) {
      const { token } = await world.register();
      for (const lastResult of [awkward, pairs]) {
        const body = { voltage: 12, ota: { lastResult, offeredVersion: awkward } };
        const sent = await world.call("sendTelemetry", { token, body });
        expect([sent.status, sent.body.accepted]).toEqual([200, 1]);
      }
      const [first, second] = await historyOf(world);
      expect(first).toMatchObject({ lastResult: kept, offeredVersion: kept });
      expect(second?.lastResult).toMatch(/^\ufffd(🛰)+\ufffd$/u);
    },
  },
  {
    name: "§6 the text of an update report is stored with unstorable characters replaced",
    async run(world) {
      const { token } = await world.register();
      const event = { state: "failed", version: "1.0.0", code: awkward, message: awkward };
      expect((await world.call("reportUpdate", { token, body: event })).status).toBe(202);
      const answer = { requestId: awkward, status: awkward, message: awkward };
      expect((await world.call("answerUpdateCommand", { token, body: answer })).status).toBe(202);
      const [stored] = await historyOf(world);
      expect(stored).toMatchObject({ lastResult: kept, message: kept });
    },
  },
  {
    name: "§8 the text of an answer to an update command is stored with unstorable characters replaced",
    async run(world) {
      const { call } = world;
      const { token } = await world.register();
      const alice = await world.signIn("alice");
      const params = { deviceId: "gw-1" };
      await call("claimDevice", { token: alice, body: { ...params, claimCode: "ABCD-EFGH" } });
      const { body } = await call("commandUpdate", { token: alice, params });
      const answer = { requestId: body.requestId, status: awkward, message: awkward };
      expect((await call("answerUpdateCommand", { token, body: answer })).status).toBe(202);
      const { command } = (await call("readUpdateCommand", { token: alice, params })).body;
      expect(command).toMatchObject({ status: kept, message: kept });
    },
  },
  {
    name: "§8 notes and filters of releases accept any text",
    async run(world) {
      const { token, create } = await releaseAdmin(world);
      const created = await create(await signSample(image, { notes: awkward }));
      expect([created.status, created.body.release.notes]).toEqual([201, kept]);
      const unusable = { version: "1.0.1", externalUrl: "https://cdn.test/\u0000" };
      expect((await create(await signSample(image, unusable))).status).toBe(400);
      const query = { targetHardware: "a\u0000b" };
      for (const name of ["listReleases", "listDashboardReleases"] as const) {
        expect((await world.call(name, { token, query })).body.releases).toEqual([]);
      }
    },
  },
  {
    name: "§0 a cursor that the gateway did not issue is refused",
    async run(world) {
      const token = await world.signIn("op", { roles: ["operator"] });
      for (const name of ["listDevices", "listAllDevices"] as const) {
        const reply = await world.call(name, { token, query: { cursor: "AA" } });
        expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
      }
    },
  },
  {
    name: "§0 an empty cursor is the first page of a list",
    async run(world) {
      const { token: operator, create } = await releaseAdmin(world);
      await create(await signSample(image));
      const { token: device } = await world.register();
      const token = await world.signIn("alice");
      const params = { deviceId: "gw-1" };
      await world.call("claimDevice", { token, body: { ...params, claimCode: "ABCD-EFGH" } });
      const report = { state: "failed", version: "1.0.0" };
      await world.call("reportUpdate", { token: device, body: report });
      const firstPages = {
        listDevices: { token },
        listAllDevices: { token: operator },
        listReleases: { token: operator },
        listDashboardReleases: { token },
        listAlerts: { token },
        listAlertRules: { token },
        listCommands: { token, params },
        listTelemetryRecords: { token, params },
        readTelemetryHistory: { token, params },
        readOtaHistory: { token, params },
        readConfigHistory: { token, params },
        readAuditTrail: { token: operator, query: { order: "newest" } },
      } as const;
      for (const [name, call] of Object.entries(firstPages)) {
        const query = "query" in call ? call.query : {};
        const read = (more: object) =>
          world.call(name as keyof typeof firstPages, { ...call, query: { ...query, ...more } });
        const [first, same] = [await read({}), await read({ cursor: "" })];
        expect(same.status, name).toBe(200);
        expect(Object.values(same.body), name).toContainEqual(
          Object.values(first.body).find((value) => Array.isArray(value)),
        );
      }
    },
  },
];
