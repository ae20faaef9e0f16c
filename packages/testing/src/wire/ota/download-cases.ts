import { expect } from "vitest";
import { sampleImage, toArtifactFacts } from "../../fixtures/sample-image.js";
import { begin, downloader, largeImage } from "../world/download-world.js";
import { asOperator, publish, signSample } from "../world/firmware-world.js";
import { sampleRegistration, type WireCase, type WireWorld } from "../world/wire-world.js";

interface Credentials {
  readonly deviceId: string;
  readonly deviceSecret: string;
}

/** Everything that ends a device's credential, by the device's id. */
const endings: Readonly<Record<string, (world: WireWorld, device: Credentials) => Promise<void>>> =
  {
    "revoked-1": async (world, { deviceId }) => {
      const token = await asOperator(world);
      const revoked = await world.call("revokeDevice", { token, params: { deviceId } });
      expect(revoked.status).toBe(200);
    },
    "erased-1": async (world, { deviceId }) => {
      const token = await asOperator(world);
      const erased = await world.call("eraseDevice", { token, params: { deviceId } });
      expect(erased.status).toBe(204);
    },
    "released-1": async ({ call, signIn }, { deviceId }) => {
      const token = await signIn("alice");
      const body = { deviceId, claimCode: "ABCD-EFGH" };
      expect((await call("claimDevice", { token, body })).status).toBe(200);
      expect((await call("releaseDevice", { token, params: { deviceId } })).status).toBe(204);
    },
    "replaced-1": async ({ call }, { deviceId, deviceSecret }) => {
      const again = await call("registerDevice", {
        body: { ...sampleRegistration(deviceId), deviceSecret },
      });
      expect(again.status).toBe(200);
      expect((await call("readConfig", { token: again.body.token })).status).toBe(200);
    },
  };

/** Cases for §6: downloads. */
export const downloadCases: readonly WireCase[] = [
  {
    name: "§6 an image is downloaded as uploaded, with headers that describe it",
    async run(world) {
      const get = await downloader(world);
      const { id, image } = await publish(world, {}, sampleImage(1_000_001));
      const { sha256, size } = toArtifactFacts(image);
      const { status, headers, body } = await get(id);
      expect(status).toBe(200);
      expect(toArtifactFacts(body)).toEqual({ sha256, size });
      const header = (name: string) => headers.get(name);
      expect(header("content-length")).toBe(String(size));
      expect(header("content-encoding")).toBeNull();
      expect(header("accept-ranges")).toBe("bytes");
      expect(header("etag")).toBe(`"${sha256}"`);
      expect(header("x-firmware-version")).toBe("1.0.0");
      expect(header("x-firmware-target")).toBe(sampleRegistration().hardwareId);
      expect(header("x-firmware-sha256")).toBe(sha256);
      expect(header("content-range")).toBeNull();
    },
  },
  {
    name: "§6 an interrupted download resumes if the image is the same",
    async run(world) {
      const get = await downloader(world);
      const { id, image } = await publish(world);
      const { sha256, size } = toArtifactFacts(image);
      const first = await get(id, { range: "bytes=0-33333" });
      const rest = await get(id, { range: "bytes=33334-", "if-range": `"${sha256}"` });
      expect([first.status, rest.status]).toEqual([206, 206]);
      expect(first.headers.get("content-range")).toBe(`bytes 0-33333/${size}`);
      expect(rest.headers.get("content-range")).toBe(`bytes 33334-99999/${size}`);
      expect(rest.headers.get("content-length")).toBe(String(size - 33_334));
      expect(toArtifactFacts(Uint8Array.from([...first.body, ...rest.body]))).toEqual({
        sha256,
        size,
      });
      const last = await get(id, { range: "bytes=-10" });
      expect([...last.body]).toEqual([...image.slice(-10)]);
      for (const ifRange of ['"another"', `W/"${sha256}"`, "Sat, 31 Jan 2026 12:00:00 GMT"]) {
        const whole = await get(id, { range: "bytes=33334-", "if-range": ifRange });
        expect([ifRange, whole.status, whole.body.length]).toEqual([ifRange, 200, size]);
      }
      const several = await get(id, { range: "bytes=0-1,5-6" });
      expect([several.status, several.body.length]).toEqual([200, size]);
    },
  },
  {
    name: "§6 a range beyond the end is 416 and reports the length",
    async run(world) {
      const get = await downloader(world);
      const { id } = await publish(world);
      for (const range of ["bytes=100000-", "bytes=200000-300000", "bytes=-0"]) {
        const { status, headers, body } = await get(id, { range });
        expect([status, body.code]).toEqual([416, "range_not_satisfiable"]);
        expect(headers.get("content-range")).toBe("bytes */100000");
      }
    },
  },
  {
    name: "§6 HEAD returns an image's headers without the image, and ignores Range",
    async run(world) {
      const { token } = await world.register();
      const { id } = await publish(world);
      const path = `/api/v1/ota/firmware/${id}`;
      for (const range of [undefined, "bytes=10-19", "bytes=200000-"]) {
        const headers = { authorization: `Bearer ${token}`, ...(range && { range }) };
        const response = await world.fetch(path, { method: "HEAD", headers });
        const length = response.headers.get("content-length");
        expect([range, response.status, length]).toEqual([range, 200, "100000"]);
        expect((await response.arrayBuffer()).byteLength).toBe(0);
      }
    },
  },
  {
    name: "§6 a device can download only an active release for its hardware",
    async run(world) {
      const get = await downloader(world);
      const token = await asOperator(world);
      const { call } = world;
      const none = [404, "release_not_found"];
      const tried = async (id: number | string) => {
        const { status, body } = await get(id);
        return [status, body.code];
      };
      const other = await publish(world, { targetHardware: "gw-9" });
      expect(await tried(other.id)).toEqual(none);
      expect(await tried(999_999)).toEqual(none);
      expect(await tried("x")).toEqual([400, "invalid_request"]);
      const draft = await signSample(sampleImage(10), { version: "3.0.0" });
      const { body } = await call("createRelease", { token, body: draft });
      expect(await tried(body.release.id)).toEqual(none);
      const externalUrl = "https://cdn.example.com/a";
      const elsewhere = await signSample(sampleImage(10), { version: "3.0.1", externalUrl });
      const created = await call("createRelease", { token, body: elsewhere });
      const change = async (id: number, status: string) => {
        const params = { releaseId: String(id) };
        expect((await call("changeRelease", { token, params, body: { status } })).status).toBe(200);
      };
      await change(created.body.release.id, "active");
      expect(await tried(created.body.release.id)).toEqual(none);

      const { id } = await publish(world);
      expect((await tried(id))[0]).toBe(200);
      await change(id, "paused");
      expect(await tried(id)).toEqual(none);
      await change(id, "active");
      expect((await tried(id))[0]).toBe(200);
      await change(id, "withdrawn");
      expect(await tried(id)).toEqual(none);
      const params = { releaseId: String(id) };
      expect((await call("downloadFirmware", { params })).status).toBe(401);
      expect((await call("downloadFirmware", { params, token })).status).toBe(401);
    },
  },
  {
    name: "§6 a running download is aborted when its release is withdrawn",
    async run(world) {
      const { token } = await world.register();
      const { id, image } = await publish(world, {}, largeImage(world));
      const operator = await asOperator(world);
      const headers = { authorization: `Bearer ${token}` };
      const response = await world.fetch(`/api/v1/ota/firmware/${id}`, { headers });
      const reader = response.body?.getReader();
      let length = (await reader?.read())?.value?.length ?? 0;
      const params = { releaseId: String(id) };
      const withdrawn = { token: operator, params, body: { status: "withdrawn" } };
      expect((await world.call("changeRelease", withdrawn)).status).toBe(200);
      world.clock.advance(1_000);
      const rest = async () => {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) return;
          length += value?.length ?? 0;
        }
      };
      // Bytes that were already sent may still arrive.
      await expect(rest()).rejects.toThrow();
      expect(length).toBeLessThan(image.length);
    },
  },
  {
    name: "§0 an image that is missing from the artifact store is 503",
    async run(world) {
      const get = await downloader(world);
      const { id } = await publish(world);
      const releases = await world.store.releases.offerable();
      const sha256 = "0".repeat(64);
      Object.assign(world.store.releases, {
        offerable: async () => releases.map((release) => ({ ...release, sha256 })),
      });
      Object.assign(world.store.changes, { since: async () => ({ kind: "reset", cursor: "1" }) });
      world.clock.advance(1_000);
      const { status, body } = await get(id);
      expect([status, body.code]).toEqual([503, "unavailable"]);
    },
  },
  {
    name: "§2 a running download is aborted when its credential ends",
    async run(world) {
      const { id, image } = await publish(world, {}, largeImage(world));
      const kept = await begin(world, id, (await world.register()).token);
      for (const [deviceId, end] of Object.entries(endings)) {
        const device = await world.register(deviceId);
        const download = await begin(world, id, device.token);
        expect(download.status).toBe(200);
        await end(world, device);
        // The time for which a device is cached, and the time until the next check.
        world.clock.advance(1_000);
        expect([deviceId, await download.rest()]).toEqual([deviceId, null]);
      }
      expect(await kept.rest()).toBe(image.length);
    },
  },
];
