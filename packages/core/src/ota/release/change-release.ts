import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { SecurityEventKind } from "../../audit/security-event.js";
import type { GatewayContext } from "../../context.js";
import type { ReleaseChange, ReleaseStatus } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import type { ReleaseActor } from "./create-release.js";
import type { Release } from "./release.js";
import type { ReleaseChanges } from "./release-store.js";

export type ChangeReleaseFailure = Failure<
  "release_not_found" | "release_withdrawn" | "illegal_transition" | "image_missing"
>;

const next: Readonly<Record<ReleaseStatus, readonly ReleaseStatus[]>> = {
  draft: ["active", "withdrawn"],
  active: ["paused", "withdrawn"],
  paused: ["active", "withdrawn"],
  withdrawn: [],
};

const kinds: Readonly<Record<ReleaseStatus, SecurityEventKind>> = {
  draft: "release.changed",
  active: "release.activated",
  paused: "release.paused",
  withdrawn: "release.withdrawn",
};

type Differences = Pick<ReleaseChanges, "status" | "rolloutPercent" | "rolloutChannel">;

/** What of a release is not yet as it was asked for. */
function differencesOf(
  release: Release,
  { status, rolloutPercent, rolloutChannel }: ReleaseChange,
): Differences {
  return {
    ...(status !== undefined && status !== release.status && { status }),
    ...(rolloutPercent !== undefined &&
      rolloutPercent !== release.rolloutPercent && { rolloutPercent }),
    ...(rolloutChannel !== undefined &&
      rolloutChannel !== release.rolloutChannel && { rolloutChannel }),
  };
}

function judge(
  release: Release,
  { status }: Differences,
  now: number,
): Result<ReleaseChanges, ChangeReleaseFailure> {
  if (release.status === "withdrawn") return err({ code: "release_withdrawn" });
  if (status === undefined) return ok({});
  if (!next[release.status].includes(status)) return err({ code: "illegal_transition" });
  if (status !== "active") return ok({});
  if (!release.hasImage && release.externalUrl === null) return err({ code: "image_missing" });
  return ok({ haltedAt: null, activatedAt: release.activatedAt ?? now });
}

/** What was, and what is from now on, of each field that changes. */
function describe(release: Release, differences: Differences): JsonObject {
  const fields = Object.entries(differences) as [keyof Differences, JsonValue][];
  return Object.fromEntries(fields.map(([name, to]) => [name, { from: release[name], to }]));
}

/**
 * Activates, pauses or withdraws a release, or changes its share or channel; nothing else of it ever
 * changes. What is so already is no change. Changes at the same time are made one after the other.
 */
export async function changeRelease(
  { store, releaseCatalog, events, clock }: GatewayContext,
  id: number,
  change: ReleaseChange,
  by: ReleaseActor,
): Promise<Result<Release, ChangeReleaseFailure>> {
  for (;;) {
    const release = await store.releases.find(id);
    if (release === null) return err({ code: "release_not_found" });
    const differences = differencesOf(release, change);
    if (Object.keys(differences).length === 0) return ok(release);
    const now = clock.now();
    const judged = judge(release, differences, now);
    if (judged.isErr()) return err(judged.error);

    const { version, targetHardware } = release;
    const event = makeEvent({
      kind: kinds[differences.status ?? "draft"],
      at: now,
      deviceId: "",
      ...by,
      details: { version, targetHardware, changes: describe(release, differences) },
    });
    const outcome = await releaseCatalog.change(() =>
      store.releases.change({
        id,
        expectedRevision: release.revision,
        changes: { ...differences, ...judged.value },
        event,
      }),
    );
    if (outcome.kind === "changed") {
      events.announce(event);
      return ok(outcome.release);
    }
  }
}
