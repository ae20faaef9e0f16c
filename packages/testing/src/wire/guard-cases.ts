import { expect } from "vitest";
import {
  asOperator,
  boot,
  download,
  offeredTo,
  otaOptions,
  reasonsFor,
  release,
  report,
  statesOf,
} from "./world/ota-world.js";
import type { WireCase } from "./world/wire-world.js";

const hour = 3_600_000;
const params = { deviceId: "gw-1" };

/** Cases for §6: limits for updates that fail. */
export const guardCases: readonly WireCase[] = [
  {
    name: "§6 after three failures a device is not offered the release for 24 hours",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      let { token } = device;
      const { id } = await release(world, "1.0.0");
      await release(world, "0.9.0");
      for (let n = 0; n < 3; n++) {
        expect(await offeredTo(world, token)).toBe("1.0.0");
        await report(world, token, "failed", { message: `try ${n}` });
        world.clock.advance(hour);
      }
      expect(await reasonsFor(world, id)).toEqual(["blocked"]);
      expect(await offeredTo(world, token), "the next lower release in the meantime").toBe("0.9.0");
      world.clock.advance(23 * hour - 10_000);
      token = await boot(world, device, "0.1.10");
      expect(await offeredTo(world, token)).toBe("0.9.0");
      world.clock.advance(10_000);
      expect(await offeredTo(world, token)).toBe("1.0.0");
    },
  },
  {
    name: "§6 five downloads in 180 seconds end an update loop",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      let downloads = 0;
      while ((await offeredTo(world, token)) === "1.0.0" && downloads < 20) {
        await download(world, token, id, "bytes=0-99");
        downloads += 1;
        world.clock.advance(30_000);
      }
      expect(downloads).toBe(5);
    },
  },
  {
    name: "§6 a device that always reboots into its old firmware is not updated forever",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { id } = await release(world, "1.0.0");
      let token = device.token;
      let rounds = 0;
      while ((await offeredTo(world, token)) === "1.0.0" && rounds < 20) {
        await download(world, token, id);
        await report(world, token, "rebooting");
        world.clock.advance(10 * 60_000);
        token = await boot(world, device, "0.1.10");
        rounds += 1;
      }
      expect(rounds).toBe(3);
      expect((await statesOf(world)).filter((state) => state === "rolled_back")).toHaveLength(3);
    },
  },
  {
    name: "§6 a release that fails only after its success is not installed forever, even if it leads to a later one",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { id } = await release(world, "1.0.0");
      await release(world, "2.0.0", { minVersion: "1.0.0" });
      let token = device.token;
      let rounds = 0;
      while ((await offeredTo(world, token)) === "1.0.0" && rounds < 20) {
        await download(world, token, id);
        token = await boot(world, device, "1.0.0");
        expect(await offeredTo(world, token)).toBe("2.0.0");
        world.clock.advance(10 * 60_000);
        token = await boot(world, device, "0.1.10");
        rounds += 1;
      }
      expect(rounds).toBe(3);
      expect((await statesOf(world)).filter((state) => state === "rolled_back")).toHaveLength(3);
      expect(await reasonsFor(world, id)).toEqual(["blocked"]);
    },
  },
  {
    name: "§6 a bench device may fail as often as it likes, and an operator can clear the blocks of any device",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      const operator = { token: await asOperator(world), params };
      const setBenchMode = (benchMode: boolean) =>
        world.call("setOtaTarget", { ...operator, body: { benchMode } });
      const fail = async (times: number) => {
        for (let n = 0; n < times; n++) {
          expect(await offeredTo(world, token)).toBe("1.0.0");
          await report(world, token, "failed", { message: `${world.clock.now()} ${n}` });
        }
      };
      expect((await setBenchMode(true)).body.benchMode).toBe(true);
      await fail(7);
      expect(await reasonsFor(world, id)).toEqual([]);
      const { haltedAt } = (await world.store.releases.find(id)) ?? {};
      expect(haltedAt).toBeNull();

      await setBenchMode(false);
      await fail(3);
      expect(await reasonsFor(world, id)).toEqual(["blocked"]);
      expect((await world.call("clearUpdateBlocks", operator)).status).toBe(204);
      expect(await reasonsFor(world, id)).toEqual([]);
      await fail(3);
      expect(await reasonsFor(world, id)).toEqual(["blocked"]);
    },
  },
  {
    name: "§6 maintenance ends updates without a report for 24 hours",
    options: otaOptions,
    async run(world) {
      const { token } = await world.register();
      const { id } = await release(world, "1.0.0");
      await offeredTo(world, token);
      await download(world, token, id);
      await expect.poll(() => statesOf(world)).toContain("downloaded");
      world.clock.advance(24 * hour - 60_000);
      await world.store.devices.recordSeen({ deviceId: "gw-1", now: world.clock.now() });
      expect((await world.gateway.maintain()).timedOutUpdates).toBe(0);
      world.clock.advance(60_001);
      expect((await world.gateway.maintain()).timedOutUpdates).toBe(1);
      expect(await statesOf(world)).toEqual(["offered", "downloading", "downloaded", "timed_out"]);
      expect((await world.gateway.maintain()).timedOutUpdates).toBe(0);
      world.clock.advance(366 * 24 * hour);
      await world.gateway.maintain();
      expect(await world.store.updates.list("gw-1"), "later they are deleted").toEqual([]);
    },
  },
  {
    name: "§6 an update that a later one replaced is cancelled, and does not count as failed",
    options: otaOptions,
    async run(world) {
      const device = await world.register();
      const { id } = await release(world, "1.0.0");
      await offeredTo(world, device.token);
      await download(world, device.token, id);
      await expect.poll(() => statesOf(world)).toContain("downloaded");
      await release(world, "2.0.0");
      expect(await offeredTo(world, device.token)).toBe("2.0.0");
      await boot(world, device, "2.0.0");
      world.clock.advance(24 * hour + 1);
      expect((await world.gateway.maintain()).timedOutUpdates).toBe(1);
      expect(await world.store.updates.counts(id)).toEqual({ cancelled: 1 });
    },
  },
  {
    name: "§6 devices that fail to check and never begin an update do not halt a release",
    options: otaOptions,
    async run(world) {
      const { id } = await release(world, "1.0.0");
      for (let n = 0; n < 6; n++) {
        const { token } = await world.register(`gw-${n}`);
        expect(await offeredTo(world, token)).toBe("1.0.0");
        const ota = {
          ...{ lastCheckSucceeded: false, updateAvailable: true, updateApplied: false },
          ...{ offeredVersion: "1.0.0", lastResult: "check-failed" },
        };
        await world.call("sendTelemetry", { token, body: { voltage: 1, ota } });
        expect(await offeredTo(world, token), "as before").toBe("1.0.0");
      }
      expect(await world.store.updates.counts(id)).toEqual({ offered: 6 });
      expect((await world.store.releases.find(id))?.status).toBe("active");
      expect(await statesOf(world, "gw-5")).toEqual(["offered", "failed"]);
    },
  },
  {
    name: "§6 devices that go silent after the download halt the release within an hour",
    options: otaOptions,
    async run(world) {
      const { id } = await release(world, "1.0.0");
      for (let n = 0; n < 6; n++) {
        const { token } = await world.register(`gw-${n}`);
        await offeredTo(world, token);
        await download(world, token, id);
        // The server records this after the last byte, so the client may have finished before.
        await expect.poll(() => statesOf(world, `gw-${n}`)).toContain("downloaded");
      }
      world.clock.advance(hour + 60_000);
      expect((await world.gateway.maintain()).timedOutUpdates).toBe(6);
      expect(await reasonsFor(world, id)).toContain("halted");
    },
  },
  {
    name: "§6 a release that fails on too many devices is halted for all devices",
    options: otaOptions,
    async run(world) {
      const { id } = await release(world, "1.0.0");
      const tokens: string[] = [];
      for (let n = 0; n < 6; n++) tokens.push((await world.register(`gw-${n}`)).token);
      // A store of several databases halts outside the report. A second later, every process knows it.
      const later = world.store.settle === undefined ? 0 : 1_000;
      let offered = 0;
      for (const token of tokens) {
        if ((await offeredTo(world, token)) === undefined) break;
        offered += 1;
        await report(world, token, "failed");
        if (later === 0) continue;
        await world.gateway.maintain();
        world.clock.advance(later);
      }
      expect(offered).toBe(5);
      expect(await reasonsFor(world, id)).toContain("halted");
      const { status, haltedAt } = (await world.store.releases.find(id)) ?? {};
      expect([status, haltedAt]).toEqual(["paused", world.clock.now() - later]);
      const audit = await world.call("readAuditTrail", {
        token: await world.signIn("op", { roles: ["operator"] }),
      });
      const [halt] = audit.body.events.slice(-1);
      expect(halt).toMatchObject({ kind: "release.halted", details: { releaseId: id, failed: 5 } });

      const withdrawn = await world.call("changeRelease", {
        token: await asOperator(world),
        params: { releaseId: String(id) },
        body: { status: "withdrawn" },
      });
      expect(withdrawn.body.release).toMatchObject({ status: "withdrawn", haltedAt: null });
      expect(await reasonsFor(world, id), "nobody can activate it").toContain("withdrawn");
    },
  },
];
