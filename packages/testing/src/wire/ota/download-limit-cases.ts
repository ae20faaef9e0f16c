import { expect } from "vitest";
import { begin, downloader, largeImage } from "../world/download-world.js";
import { publish } from "../world/firmware-world.js";
import { otaOptions, release, statesOf } from "../world/ota-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for the limits of downloads (§9). */
export const downloadLimitCases: readonly WireCase[] = [
  {
    name: "§9 a third download of a device ends its oldest one, and the others continue",
    async run(world) {
      const { token } = await world.register();
      const other = await world.register("gw-2");
      const { id, image } = await publish(world, {}, largeImage(world));
      const others = await begin(world, id, other.token);
      const first = await begin(world, id, token);
      const second = await begin(world, id, token);
      // A HEAD request reads no image, so it ends no download.
      const headers = { authorization: `Bearer ${token}` };
      await world.fetch(`/api/v1/ota/firmware/${id}`, { method: "HEAD", headers });
      const third = await begin(world, id, token);
      expect(await first.rest()).toBeNull();
      expect(await second.rest()).toBe(image.length);
      expect(await third.rest()).toBe(image.length);
      expect(await others.rest()).toBe(image.length);
      // The download resumes, because finished downloads do not count.
      const range = { range: "bytes=1000-1999" };
      const params = { releaseId: String(id) };
      for (let n = 0; n < 4; n++) {
        const part = await world.call("downloadFirmware", { token, params, headers: range });
        expect([part.status, part.body.length]).toEqual([206, 1_000]);
      }
    },
  },
  {
    name: "§9 repeated downloads are complete, but only ten starts of a device in a minute are recorded",
    options: otaOptions,
    async run(world) {
      const { id } = await release(world, "1.0.0");
      const download = await downloader(world);
      const repeat = async () => {
        for (let n = 0; n < 15; n++) {
          expect((await download(id, { range: "bytes=0-0" })).status).toBe(206);
        }
      };
      await repeat();
      // A start is recorded before the first byte is sent.
      expect(await statesOf(world)).toEqual(Array(10).fill("downloading"));
      world.clock.advance(60_000);
      await repeat();
      expect(await statesOf(world)).toEqual(Array(20).fill("downloading"));
    },
  },
  {
    name: "§9 recorded downloads of a device without an owner count as bytes of its quota",
    options: {
      ...otaOptions,
      limits: { unclaimedBytesPerMinute: 1_024, unclaimedTotalBytesPerMinute: 0 },
    },
    async run(world) {
      const { id } = await release(world, "1.0.0");
      const download = await downloader(world);
      for (let minute = 0; minute < 3; minute++) {
        for (let n = 0; n < 10; n++) {
          expect((await download(id, { range: "bytes=0-0" })).status).toBe(206);
        }
        world.clock.advance(60_000);
      }
      // Six records are free. Then come ten minutes' worth of bytes, and one more record each minute.
      expect(await statesOf(world)).toHaveLength(6 + 10 + 2);
    },
  },
  {
    name: "§9 the number of downloads of a device is an option",
    options: { limits: { downloadsPerDevice: 1 } },
    async run(world) {
      const { token } = await world.register();
      const { id, image } = await publish(world, {}, largeImage(world));
      const first = await begin(world, id, token);
      const second = await begin(world, id, token);
      expect([await first.rest(), await second.rest()]).toEqual([null, image.length]);
    },
  },
];
