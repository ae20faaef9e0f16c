import { operator, readMetadata } from "@device-gateway/core";
import { expect } from "vitest";
import { z } from "zod";
import { claimFor } from "../world/owner-world.js";
import { sampleRegistration, type WireCase, type WireWorld } from "../world/wire-world.js";

const params = { deviceId: "gw-1" };
const schema = z.object({
  customerNumber: z.string().trim().toUpperCase(),
  site: z.string().optional(),
  floor: z.int().optional(),
  contact: z.object({ name: z.string(), phone: z.string().optional() }).optional(),
});
const options = {
  metadata: {
    schema,
    ownerReadable: ["site", "contact"],
    indexed: ["customerNumber", "floor"],
  },
};

/** Returns calls as an operator. */
async function asOperator({ call, signIn }: WireWorld) {
  const token = await signIn("op", { roles: ["operator"] });
  return {
    token,
    read: (deviceId = "gw-1") => call("readDeviceMetadata", { token, params: { deviceId } }),
    change: (body: object, headers: Record<string, string> = {}, deviceId = "gw-1") =>
      call("changeDeviceMetadata", { token, params: { deviceId }, body, headers }),
    list: async (query: Record<string, string>) => {
      const { body } = await call("listAllDevices", { token, query });
      const ids = body.devices.map(({ id }: { id: string }) => id);
      return { ids, nextCursor: body.nextCursor };
    },
  };
}

async function signInOwner(world: WireWorld, name: string) {
  const token = await claimFor(world, name);
  const { call } = world;
  return {
    token,
    shown: async () => (await call("readDevice", { token, params })).body.metadata,
    release: () => call("releaseDevice", { token, params }),
  };
}

/** Cases for §8: the embedder's facts about devices. */
export const metadataCases: readonly WireCase[] = [
  {
    name: "§8 an operator patches a device's metadata, which has the form that its schema returns",
    options,
    async run(world) {
      const { gateway, register } = world;
      await register();
      const { read, change } = await asOperator(world);
      const before = await read();
      expect(before.body.metadata).toBeNull();
      expect(before.headers.get("etag")).toBe(`"${before.body.metadataVersion}"`);

      const set = await change({ customerNumber: " c-1 ", contact: { name: "Ann" }, floor: 2 });
      const metadata = { customerNumber: "C-1", contact: { name: "Ann" }, floor: 2 };
      expect([set.status, set.body.metadata]).toEqual([200, metadata]);
      expect(set.body.metadataVersion).not.toBe(before.body.metadataVersion);
      const patched = await change({ floor: null, contact: { phone: "5" } });
      const contact = { name: "Ann", phone: "5" };
      expect(patched.body.metadata).toEqual({ customerNumber: "C-1", contact });
      expect((await read()).body).toEqual(patched.body);

      const typed = await readMetadata(gateway.as(operator({ id: "test" })), schema, "gw-1");
      expect(typed._unsafeUnwrap()?.customerNumber).toBe("C-1");
      const narrower = z.object({ customerNumber: z.int() });
      const stale = await readMetadata(gateway.as(operator({ id: "test" })), narrower, "gw-1");
      expect(stale._unsafeUnwrapErr()).toMatchObject({
        code: "internal",
        errors: [{ path: "customerNumber" }],
      });
    },
  },
  {
    name: "§8 metadata that the schema refuses, unknown keys and too much of it are 400, and change nothing",
    options: {
      metadata: {
        schema: schema.extend({ notes: z.array(z.string()).optional() }),
        indexed: ["site"],
      },
    },
    async run(world) {
      await world.register();
      const { read, change } = await asOperator(world);
      const kept = (await change({ customerNumber: "C-1", floor: 1 })).body;
      const refused = async (patch: object) => {
        const { status, body } = await change(patch);
        expect([status, body.code]).toEqual([400, "invalid_request"]);
        return body.errors[0];
      };
      expect((await refused({ floor: "two" })).path).toBe("floor");
      expect((await refused({ customerNumber: null })).path).toBe("customerNumber");
      expect((await refused({ colour: "red" })).message).toContain("metadata.schema");
      expect(await refused({ site: "" })).toMatchObject({ path: "site", code: "not_indexable" });
      expect((await refused({ site: "x".repeat(129) })).code).toBe("not_indexable");
      expect((await refused({ site: "a\u0000b" })).code).toBe("not_indexable");
      expect((await refused({ notes: ["x".repeat(4_100)] })).code).toBe("too_big");
      expect((await read()).body).toEqual(kept);
      expect((await change({ notes: ["x".repeat(4_000)] })).status).toBe(200);
      // Removing the last keys removes the metadata as a whole, although the schema requires one of them.
      const emptied = await change({ notes: null, customerNumber: null, floor: null });
      expect([emptied.status, emptied.body.metadata]).toEqual([200, null]);
    },
  },
  {
    name: "§8 metadata that changed since it was read is 412, and concurrent patches are all applied",
    options,
    async run(world) {
      const { call, register } = world;
      await register();
      const { read, change, token } = await asOperator(world);
      const etag = (await read()).headers.get("etag") ?? "";
      await change({ customerNumber: "C-1" }, { "if-match": etag });
      const late = await change({ customerNumber: "C-2" }, { "if-match": etag });
      expect([late.status, late.body.code]).toEqual([412, "precondition_failed"]);
      const patches = [{ site: "Pier" }, { floor: 3 }, { contact: { name: "Ann" } }];
      await Promise.all(patches.map((patch) => change(patch)));
      const all = { customerNumber: "C-1", site: "Pier", floor: 3, contact: { name: "Ann" } };
      expect((await read()).body.metadata).toEqual(all);

      const trail = (await call("readAuditTrail", { token })).body.events;
      const changes = trail.filter(
        ({ kind }: { kind: string }) => kind === "device.metadata_changed",
      );
      const keys = changes.map(({ details }: { details: { keys: string[] } }) => details.keys);
      expect(keys.flat().sort()).toEqual(["contact", "customerNumber", "floor", "site"]);
      expect(JSON.stringify(trail)).not.toContain("Pier");
    },
  },
  {
    name: "§8 operators find devices by an indexed value, in pages",
    options,
    async run(world) {
      const { call, signIn } = world;
      const { change, list, token } = await asOperator(world);
      const ids = ["gw-1", "gw-2", "gw-3", "gw-4"];
      for (const id of ids) {
        await call("registerDevice", { body: sampleRegistration(id) });
        await change({ customerNumber: id === "gw-3" ? "C:2" : "C-1", floor: 1 }, {}, id);
      }
      const first = await list({ metadata: "customerNumber:C-1", limit: "2" });
      expect(first.ids).toEqual(["gw-1", "gw-2"]);
      const query = { metadata: "customerNumber:C-1", limit: "2", cursor: first.nextCursor };
      expect(await list(query)).toEqual({ ids: ["gw-4"], nextCursor: null });
      expect((await list({ metadata: "customerNumber:C:2" })).ids).toEqual(["gw-3"]);
      expect((await list({ metadata: "floor:1" })).ids).toEqual(ids);
      expect((await list({ metadata: "customerNumber:c-1" })).ids).toEqual([]);
      expect((await list({})).ids).toEqual(ids);
      await change({ floor: 2 }, {}, "gw-2");
      await call("eraseDevice", { token, params: { deviceId: "gw-4" } });
      expect((await list({ metadata: "floor:1" })).ids).toEqual(["gw-1", "gw-3"]);
      for (const metadata of ["site:Pier", "floor", "floor:", ":1", "toString:1", "floor:\u0000"]) {
        const { status, body } = await call("listAllDevices", { token, query: { metadata } });
        expect([status, body.errors?.[0].path]).toEqual([400, "metadata"]);
      }
      const alice = await signIn("alice");
      const refused = await call("listAllDevices", {
        token: alice,
        query: { metadata: "floor:1" },
      });
      expect(refused.status).toBe(403);
    },
  },
  {
    name: "§8 an owner reads the declared metadata, and nothing that was set before a former owner's release",
    options,
    async run(world) {
      const { call, register, clock } = world;
      await register();
      const { read, change, token } = await asOperator(world);
      await change({ customerNumber: "C-1", site: "Pier", contact: { name: "Ann" } });
      const alice = await signInOwner(world, "alice");
      expect(await alice.shown()).toEqual({ site: "Pier", contact: { name: "Ann" } });

      clock.advance(1_000);
      await alice.release();
      const kept = { customerNumber: "C-1", site: "Pier", contact: { name: "Ann" } };
      expect((await read()).body.metadata).toEqual(kept);
      clock.advance(1_000);
      const bob = await signInOwner(world, "bob");
      expect(await bob.shown()).toEqual({});
      clock.advance(1_000);
      // A part of an object says nothing about the rest of it.
      await change({ customerNumber: "C-2", contact: { phone: "5" } });
      expect(await bob.shown()).toEqual({});
      await change({ site: "Pier" });
      expect(await bob.shown()).toEqual({ site: "Pier" });
      const seen = (await call("readDevice", { token, params })).body.metadata;
      expect(seen).toEqual({ site: "Pier", contact: { name: "Ann", phone: "5" } });

      await call("eraseDevice", { token, params });
      expect((await read()).status).toBe(404);
      await register();
      expect((await read()).body.metadata).toBeNull();
    },
  },
  {
    name: "§8 without a schema every metadata key is unknown, and unknown devices are 404",
    async run(world) {
      const { call, register } = world;
      await register();
      const { read, change, token } = await asOperator(world);
      const refused = await change({ site: "Pier" });
      expect([refused.status, refused.body.errors[0].path]).toEqual([400, "site"]);
      expect((await read()).body.metadata).toBeNull();
      expect((await change({})).body.metadata).toBeNull();
      expect((await read("unknown")).status).toBe(404);
      expect((await change({}, {}, "unknown")).status).toBe(404);
      const listed = await call("listAllDevices", { token, query: { metadata: "site:Pier" } });
      expect(listed.status).toBe(400);
      const { body } = await call("readDevice", { token, params });
      expect(body).not.toHaveProperty("metadata");
    },
  },
];
