import { expect } from "vitest";
import {
  boot,
  download,
  historyOf,
  image,
  offeredTo,
  otaOptions,
  release,
  report,
  statesOf,
} from "../world/ota-world.js";
import { claimFor } from "../world/owner-world.js";
import type { WireCase, WireWorld } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };

const countsOf = async ({ store }: WireWorld, id: number) => store.updates.counts(id);

/** Cases for §6 and §7: the course of an update and its history. */
export const updateCases: readonly WireCase[] = [
  {
    name: "§6 the history has each step of an update from offer to success",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { token } = device;
      const { id } = await release(world, "1.0.0");
      const alice = await claimFor(world, "alice");
      await offeredTo(world, token);
      expect(await download(world, token, id)).toEqual(image);
      // The server records this after the last byte. A later report of the device must not come first.
      await expect.poll(() => statesOf(world)).toContain("downloaded");
      await report(world, token, "verified");
      await report(world, token, "installing", { progress: 57.5, message: "writing" });
      await report(world, token, "rebooting");
      await boot(world, device, "1.0.0");
      const events = await historyOf(world);
      expect(events.map(({ state, source }) => `${state} by ${source}`)).toEqual([
        "offered by server",
        "downloading by server",
        "downloaded by server",
        "verified by device",
        "installing by device",
        "rebooting by device",
        "succeeded by server",
      ]);
      expect(new Set(events.map(({ fromVersion }) => fromVersion))).toEqual(new Set(["0.1.10"]));
      expect(events[4]).toEqual({
        id: expect.any(Number),
        createdAt: new Date(world.clock.now()).toISOString(),
        source: "device",
        state: "installing",
        offeredVersion: "1.0.0",
        fromVersion: "0.1.10",
        lastResult: "installing",
        lastCheckSucceeded: null,
        updateAvailable: null,
        updateApplied: null,
        progress: 50,
        message: "writing",
      });
      expect(await countsOf(world, id)).toEqual({ succeeded: 1 });
      const { body } = await world.call("readDevice", { token: alice, params });
      expect(body.device).toMatchObject({
        firmwareVersion: "1.0.0",
        latestFirmwareVersion: "1.0.0",
        latestFirmwareReleasedAt: "2025-06-01T12:00:00.000Z",
        updateAvailable: false,
        otaChannel: "stable",
      });
    },
  },
  {
    name: "§7 the list of devices has the latest firmware for each",
    options: otaOptions,
    async run(world) {
      await world.register();
      const alice = await claimFor(world, "alice");
      const shown = async () => {
        const { body } = await world.call("listDevices", { token: alice });
        const [device] = body.devices;
        return [device.latestFirmwareVersion, device.updateAvailable];
      };
      expect(await shown()).toEqual([null, false]);
      await release(world, "0.1.2");
      expect(await shown()).toEqual(["0.1.2", false]);
      await release(world, "0.2.0", { rolloutPercent: 0 });
      expect(await shown()).toEqual(["0.2.0", false]);
      await release(world, "1.0.0");
      await release(world, "2.0.0", { rolloutChannel: "beta" });
      expect(await shown()).toEqual(["1.0.0", true]);
    },
  },
  {
    name: "§6 an interrupted and resumed download is one attempt, and its end is recorded",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      await offeredTo(world, token);
      await download(world, token, id, "bytes=0-9999");
      await download(world, token, id, "bytes=10000-19999");
      expect(await countsOf(world, id)).toEqual({ downloading: 1 });
      await download(world, token, id, "bytes=20000-");
      // The server records this after the last byte, so the client may have finished before.
      await expect.poll(() => statesOf(world)).toEqual(["offered", "downloading", "downloaded"]);
      const [update] = await world.store.updates.list("gw-1");
      expect(update?.attempts).toHaveLength(1);
    },
  },
  {
    name: "§6 a meaningless report is accepted and kept in the history, but moves no update",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { token } = device;
      const { id } = await release(world, "1.0.0");
      await report(world, token, "installing", { version: "9.9.9" });
      await report(world, token, "failed");
      expect(await countsOf(world, id)).toEqual({});
      await offeredTo(world, token);
      await boot(world, device, "1.0.0");
      for (const state of ["downloading", "failed", "offered", "timed_out", "cancelled"]) {
        await report(world, token, state, { message: "x".repeat(4_000), timestamp: "whenever" });
      }
      expect(await countsOf(world, id)).toEqual({ succeeded: 1 });
      const odd = { progress: "half", code: 5, message: ["no"], timestamp: {} };
      await report(world, token, "verified", odd);
      const [last] = (await historyOf(world)).reverse();
      expect(last).toMatchObject({ state: "verified", progress: null, message: null });
    },
  },
  {
    name: "§6 an event needs a known state and a version, and a device",
    async run({ call, register }) {
      const { token } = await register();
      for (const body of [{}, { state: "flying", version: "1.0.0" }, { state: "failed" }, []]) {
        expect((await call("reportUpdate", { token, body })).status).toBe(400);
      }
      expect((await call("reportUpdate", { token, raw: "{" })).status).toBe(400);
      const body = { state: "failed", version: "1.0.0" };
      expect((await call("reportUpdate", { body })).status).toBe(401);
      const large = { ...body, message: "x".repeat(20_000) };
      expect((await call("reportUpdate", { token, body: large })).status).toBe(413);
      const text = { raw: "hello", headers: { "content-type": "text/plain" } };
      expect((await call("reportUpdate", { token, ...text })).status).toBe(415);
    },
  },
  {
    name: "§9 OTA events draw on the device's telemetry throttle",
    options: { limits: { telemetryPerMinute: 2 } },
    async run({ call, register }) {
      const { token } = await register();
      const body = { state: "failed", version: "1.0.0" };
      const statuses: number[] = [];
      for (let n = 0; n < 3; n++)
        statuses.push((await call("reportUpdate", { token, body })).status);
      expect(statuses).toEqual([202, 202, 429]);
      const answer = { requestId: "one", status: "done" };
      expect((await call("answerUpdateCommand", { token, body: answer })).status).toBe(429);
    },
  },
  {
    name: "§6 the telemetry of field firmware is enough to move its update",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      await offeredTo(world, token);
      const send = (ota: object) => world.call("sendTelemetry", { token, body: { a: 1, ota } });
      const section = { lastCheckAtMs: 1, offeredVersion: "1.0.0", lastResult: "download-failed" };
      await send(section);
      await send({ ...section, lastCheckAtMs: 2 });
      expect(await statesOf(world)).toEqual(["offered", "failed"]);
      expect(await countsOf(world, id)).toEqual({ failed: 1 });
      const operator = await world.signIn("op", { roles: ["operator"] });
      const shown = async () => {
        const { body } = await world.call("listDevices", { token: operator });
        return body.devices[0];
      };
      expect((await shown()).failedVersion).toBe("1.0.0");
      await send({ ...section, lastResult: "updated", updateApplied: true });
      expect(await countsOf(world, id)).toEqual({ succeeded: 1 });
      expect(await shown()).not.toHaveProperty("failedVersion");
    },
  },
  {
    name: "§7 the OTA history is newest first, in pages, and begins where telemetry does",
    options: otaOptions,
    async run(world) {
      const { call, clock, signIn } = world;
      const { token } = await world.register();
      const alice = await claimFor(world, "alice");
      for (let n = 0; n < 25; n++) await report(world, token, "failed", { message: `no. ${n}` });
      const read = (user: string, query = {}) =>
        call("readOtaHistory", { token: user, params, query });
      const first = (await read(alice)).body;
      expect(first.events).toHaveLength(20);
      expect(first.events[0].message).toBe("no. 24");
      const second = (await read(alice, { cursor: first.nextCursor })).body;
      expect([second.events.length, second.nextCursor]).toEqual([5, null]);
      expect((await read(alice, { cursor: "x" })).status).toBe(400);
      expect((await read(alice, { limit: "501" })).status).toBe(400);
      expect((await call("readOtaHistory", { params })).status).toBe(401);

      await call("releaseDevice", { token: alice, params });
      clock.advance(1_000);
      const bob = await claimFor(world, "bob");
      expect((await read(bob)).body.events).toEqual([]);
      expect((await read(alice)).status).toBe(404);
      expect((await read(await signIn("carol"))).status).toBe(404);
    },
  },
];
