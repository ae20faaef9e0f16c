import { expect } from "vitest";
import { createReleaseSigner } from "../../fixtures/release-signer.js";
import { sampleImage } from "../../fixtures/sample-image.js";
import {
  image,
  outcome,
  publish,
  refused,
  releaseAdmin,
  secondSigner,
  signSample,
  upload,
} from "../world/firmware-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for §8: releases. */
export const releaseCases: readonly WireCase[] = [
  {
    name: "§8 a release is created as a draft, with the signed fields byte for byte",
    async run(world) {
      const { create, read } = await releaseAdmin(world);
      const described = await signSample(image, {
        version: "1.10.0",
        releasedAt: "2026-01-31T13:00:00+01:00",
        notes: "one\ntwo",
        mandatory: true,
        minVersion: "1.9.12",
        rolloutPercent: 5,
        rolloutChannel: "beta",
        externalUrl: "https://cdn.example.com/1.10.0.bin",
      });
      const { status, body } = await create(described);
      expect(status).toBe(201);
      expect(body.release).toEqual({
        ...described,
        id: expect.any(Number),
        status: "draft",
        isLatest: false,
        hasImage: false,
        haltedAt: null,
        createdAt: new Date(world.clock.now()).toISOString(),
        activatedAt: null,
      });
      const found = await read(body.release.id);
      expect(found.body).toEqual({ release: body.release, counts: {} });
      expect(outcome(await read(body.release.id + 1))).toEqual(refused(404, "release_not_found"));
      expect(outcome(await read("x"))).toEqual(refused(400, "invalid_request"));
    },
  },
  {
    name: "§6 both algorithms are accepted, and a signature of other lines, another key or none is refused",
    async run(world) {
      const { create } = await releaseAdmin(world);
      const good = await signSample(image);
      const others = [
        { version: "1.0.1" },
        { targetHardware: "other" },
        { releasedAt: "2026-01-31T12:00:00.000Z" },
        { sha256: "0".repeat(64) },
        { signature: "AAAA" },
        { signatureAlgorithm: "ed25519" },
        { signingKeyId: "key-2" },
        await signSample(image, {}, await createReleaseSigner("key-1")),
      ];
      for (const other of others) {
        const answer = await create({ ...good, ...other });
        expect([other, ...outcome(answer)]).toEqual([other, ...refused(400, "invalid_signature")]);
      }
      const unknown = await create({ ...good, signingKeyId: "key-3" });
      expect(outcome(unknown)).toEqual(refused(400, "unknown_signing_key"));
      expect((await create(good)).status).toBe(201);
      const second = await signSample(image, { version: "1.0.1" }, await secondSigner());
      expect((await create(second)).status).toBe(201);
    },
  },
  {
    name: "§8 an invalid release is 400 and names the field",
    async run(world) {
      const { create, list } = await releaseAdmin(world);
      const wrong = {
        version: "1.0",
        targetHardware: "a\nb",
        releasedAt: "2026-01-31",
        sha256: "AB".repeat(32),
        size: 0,
        signature: "not base64!",
        signingKeyId: "a b",
        rolloutPercent: 101,
        rolloutChannel: "",
        minVersion: "1.0.0",
        externalUrl: "http://cdn.example.com/a",
        notes: "x".repeat(2_001),
      };
      for (const [field, value] of Object.entries(wrong)) {
        const { status, body } = await create(await signSample(image, { [field]: value }));
        expect([status, body.code, body.errors?.[0].path]).toEqual([400, "invalid_request", field]);
      }
      const leading = await create(await signSample(image, { version: "1.00.0" }));
      expect(outcome(leading)).toEqual(refused(400, "invalid_request"));
      expect((await list()).body.releases).toEqual([]);
    },
  },
  {
    name: "§8 a release whose image is larger than the gateway stores is refused before it is created",
    async run(world) {
      const { create, list } = await releaseAdmin(world);
      const size = 2 ** 26 + 1;
      const { status, body } = await create(await signSample(image, { size }));
      expect([status, body.code, body.errors?.[0].path]).toEqual([400, "invalid_request", "size"]);
      expect((await list()).body.releases).toEqual([]);
      // The refused release does not hold its version: the same one with a smaller image is new.
      expect((await create(await signSample(image))).status).toBe(201);
      const elsewhere = { version: "1.0.1", externalUrl: "https://cdn.example.com/1.0.1.bin" };
      expect((await create(await signSample(image, { size, ...elsewhere }))).status).toBe(201);
    },
  },
  {
    name: "§8 creating a version again returns the existing release for the same image, and 409 for another",
    async run(world) {
      const { create, change } = await releaseAdmin(world);
      const first = await create(await signSample(image, { rolloutPercent: 5 }));
      const again = await create(await signSample(image, { rolloutPercent: 50 }));
      expect([again.status, again.body]).toEqual([200, first.body]);
      const other = await signSample(sampleImage(50_000, 2));
      expect(outcome(await create(other))).toEqual(refused(409, "release_exists"));
      const elsewhere = await signSample(sampleImage(50_000, 2), { targetHardware: "gw-9" });
      expect((await create(elsewhere)).status).toBe(201);
      // A withdrawn draft frees its version.
      await change(first.body.release.id, { status: "withdrawn" });
      expect((await create(other)).status).toBe(201);
    },
  },
  {
    name: "§8 an image is stored if it matches the signed release, and the upload can be repeated",
    async run(world) {
      const { token, create, change, read } = await releaseAdmin(world);
      const { body } = await create(await signSample(image));
      const { id } = body.release;
      const put = async (bytes: Uint8Array, headers = {}) =>
        outcome(await upload(world, token, id, bytes, headers));
      const mismatch = refused(400, "image_mismatch");
      expect(await put(sampleImage(50_000, 2))).toEqual(mismatch);
      expect(await put(image.slice(0, 49_999))).toEqual(mismatch);
      expect(await put(Uint8Array.from([...image, 0]))).toEqual(mismatch);
      expect(await put(new Uint8Array(0))).toEqual(mismatch);
      expect(await put(image, { "content-encoding": "gzip" })).toEqual(
        refused(415, "unsupported_media_type"),
      );
      expect((await read(id)).body.release.hasImage).toBe(false);
      for (let n = 0; n < 2; n++) {
        const { status, body } = await upload(world, token, id, image);
        expect([status, body.release.hasImage]).toEqual([200, true]);
      }
      expect(outcome(await upload(world, token, id + 1, image))).toEqual(
        refused(404, "release_not_found"),
      );
      await change(id, { status: "withdrawn" });
      expect(await put(image)).toEqual(refused(409, "release_withdrawn"));
    },
  },
  {
    name: "§9 an image larger than the limit is 413, with or without Content-Length",
    options: { limits: { firmwareImageBytes: 10_000 } },
    async run(world) {
      const { token, create } = await releaseAdmin(world);
      // A larger image can be on another server only. Its bytes are refused here all the same.
      const externalUrl = "https://cdn.example.com/1.0.0.bin";
      const { body } = await create(await signSample(image, { externalUrl }));
      const { id } = body.release;
      const large = refused(413, "payload_too_large");
      expect(outcome(await upload(world, token, id, image))).toEqual(large);
      const pieces = new Blob([image.slice()]).stream();
      const chunked = await world.fetch(`/api/v1/operator/firmware/releases/${id}/image`, {
        method: "PUT",
        body: pieces,
        headers: { authorization: `Bearer ${token}` },
        duplex: "half",
      } as RequestInit);
      expect([chunked.status, (await chunked.json()).code]).toEqual(large);
    },
  },
  {
    name: "§8 a release moves from draft to active, between active and paused, and to withdrawn for good",
    async run(world) {
      const { token, create, change } = await releaseAdmin(world);
      const { body } = await create(await signSample(image));
      const { id } = body.release;
      const to = async (status: string) => outcome(await change(id, { status }));
      expect(await to("active")).toEqual(refused(409, "image_missing"));
      await upload(world, token, id, image);
      expect(await to("paused")).toEqual(refused(409, "illegal_transition"));
      expect(await to("draft")).toEqual([200, undefined]);
      expect(await to("other")).toEqual(refused(400, "invalid_request"));
      expect(await to("active")).toEqual([200, undefined]);
      expect(await to("draft")).toEqual(refused(409, "illegal_transition"));
      for (const status of ["active", "active", "paused", "paused", "active", "withdrawn"]) {
        expect([status, ...(await to(status))]).toEqual([status, 200, undefined]);
      }
      expect(await to("active")).toEqual(refused(409, "release_withdrawn"));
      expect(await to("withdrawn")).toEqual([200, undefined]);
      expect(outcome(await change(id, { rolloutPercent: 1 }))).toEqual(
        refused(409, "release_withdrawn"),
      );
      expect(outcome(await change(id + 1, { status: "active" }))).toEqual(
        refused(404, "release_not_found"),
      );
    },
  },
  {
    name: "§8 only share and channel of an active release can change",
    async run(world) {
      const { change, read } = await releaseAdmin(world);
      const { id } = await publish(world);
      const before = (await read(id)).body.release;
      const { body } = await change(id, {
        rolloutPercent: 20,
        rolloutChannel: "beta",
        version: "6.6.6",
        sha256: "0".repeat(64),
        mandatory: true,
      });
      expect(body.release).toEqual({ ...before, rolloutPercent: 20, rolloutChannel: "beta" });
      expect(before.activatedAt).toBe(new Date(world.clock.now()).toISOString());
      expect(outcome(await change(id, {}))).toEqual(refused(400, "invalid_request"));
      expect(outcome(await change(id, { mandatory: true }))).toEqual(
        refused(400, "invalid_request"),
      );
    },
  },
  {
    name: "§8 a release without an image can be activated if it has an external URL",
    async run(world) {
      const { create, change } = await releaseAdmin(world);
      const externalUrl = "https://cdn.example.com/1.0.0.bin";
      const { body } = await create(await signSample(image, { externalUrl }));
      expect((await change(body.release.id, { status: "active" })).status).toBe(200);
    },
  },
];
