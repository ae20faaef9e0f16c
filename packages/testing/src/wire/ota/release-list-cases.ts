import { operator, type Publication, publishRelease } from "@device-gateway/core";
import { expect } from "vitest";
import {
  asOperator,
  image,
  outcome,
  publish,
  refused,
  releaseAdmin,
  signSample,
  targetHardware,
} from "../world/firmware-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for §7 and §8: who sees releases, and the audit trail of releases. */
export const releaseListCases: readonly WireCase[] = [
  {
    name: "§7 the dashboard lists active releases, newest first, and operators see every release",
    async run(world) {
      const { create, change, list } = await releaseAdmin(world);
      const old = await publish(world, { version: "1.9.0" });
      const high = await publish(world, { version: "1.10.0" });
      const low = await publish(world, { version: "1.2.0" });
      const beta = await publish(world, { version: "1.11.0", rolloutChannel: "beta" });
      const draft = (await create(await signSample(image, { version: "2.0.0" }))).body.release;
      await change(old.id, { status: "paused" });
      const customer = await world.signIn("alice");
      const shown = async (token: string, query = {}) => {
        const { status, body } = await world.call("listDashboardReleases", { token, query });
        expect(status).toBe(200);
        return body.releases.map((release: { id: number; isLatest: boolean }) =>
          release.isLatest ? [release.id, "latest"] : [release.id],
        );
      };
      const active = [[beta.id, "latest"], [low.id], [high.id, "latest"]];
      expect(await shown(customer)).toEqual(active);
      expect(await shown(await asOperator(world))).toEqual([[draft.id], ...active, [old.id]]);
      expect(await shown(customer, { rolloutChannel: "beta" })).toEqual([[beta.id, "latest"]]);
      expect(await shown(customer, { targetHardware: "gw-9" })).toEqual([]);
      expect(await shown(customer, { targetHardware })).toEqual(active);
      const paused = await list({ status: "paused" });
      expect(paused.body.releases).toMatchObject([{ id: old.id, status: "paused" }]);
      const { body } = await world.call("listDashboardReleases", {
        token: customer,
        query: { limit: "2" },
      });
      expect(body.releases).toHaveLength(2);
      expect(JSON.stringify(body)).not.toContain('signature":');
      expect(await shown(customer, { limit: "2", cursor: body.nextCursor })).toEqual([active[2]]);
      const bad = await list({ cursor: "x" });
      expect(outcome(bad)).toEqual(refused(400, "invalid_request"));
      expect((await world.call("listDashboardReleases")).status).toBe(401);
    },
  },
  {
    name: "§8 the audit trail records who changed a release and how",
    async run(world) {
      const { change } = await releaseAdmin(world);
      const { id } = await publish(world);
      await change(id, { rolloutPercent: 10 });
      await change(id, { status: "paused" });
      await change(id, { status: "withdrawn" });
      const events = await world.store.securityEvents.list({ after: 0, limit: 99 });
      expect(events.map(({ kind, actor, details }) => [kind, actor, details["releaseId"]])).toEqual(
        [
          ["release.created", "op", id],
          ["release.changed", "op", id],
          ["release.activated", "op", id],
          ["release.changed", "op", id],
          ["release.paused", "op", id],
          ["release.withdrawn", "op", id],
        ],
      );
      expect(events[3]?.details["changes"]).toEqual({ rolloutPercent: { from: 100, to: 10 } });
    },
  },
  {
    name: "§8 an embedder publishes by the same rules and can repeat it",
    async run(world) {
      const api = world.gateway.as(operator({ id: "release script" }));
      const publish = (publication: Publication) => publishRelease(api, publication);
      const release = (await signSample(image)) as Publication["release"];
      const input = { release };
      expect((await publish(input))._unsafeUnwrapErr().code).toBe("image_missing");
      const wrong = await publish({ ...input, image: image.slice(1) });
      expect(wrong._unsafeUnwrapErr().code).toBe("image_mismatch");
      const first = (await publish({ ...input, image }))._unsafeUnwrap();
      expect([first.status, first.hasImage]).toEqual(["active", true]);
      expect((await publish({ ...input, image }))._unsafeUnwrap()).toEqual(first);
      const params = { releaseId: first.id };
      const paused = await api.changeRelease({ params, body: { status: "paused" } });
      expect(paused._unsafeUnwrap().body.release.status).toBe("paused");
      expect((await publish({ ...input, image }))._unsafeUnwrap().status).toBe("paused");
      const found = await api.readRelease({ params });
      expect(found._unsafeUnwrap().body.release.status).toBe("paused");
      const bad = { ...input, release: { ...release, version: "1" } };
      expect((await publish(bad))._unsafeUnwrapErr().code).toBe("invalid_request");
    },
  },
];
