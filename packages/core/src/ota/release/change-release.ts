import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { SecurityEventKind } from "../../audit/security-event.js";
import type { GatewayContext } from "../../context.js";
import type { ReleaseChange, ReleaseStatus } from "../../contract/index.js";
import { runHook } from "../../hooks/run-hook.js";
import type { Failure } from "../../shared/failure.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import type { ReleaseActor } from "./create-release.js";
import type { Release } from "./release.js";
import type { ReleaseChanges } from "./release-store.js";

export type ChangeReleaseFailure = Failure<
  "release_not_found" | "release_withdrawn" | "illegal_transition" | "image_missing" | "refused"
>;

const nextStatuses: Readonly<Record<ReleaseStatus, readonly ReleaseStatus[]>> = {
  draft: ["active", "withdrawn"],
  active: ["paused", "withdrawn"],
  paused: ["active", "withdrawn"],
  withdrawn: [],
};

const eventKinds: Readonly<Record<ReleaseStatus, SecurityEventKind>> = {
  draft: "release.changed",
  active: "release.activated",
  paused: "release.paused",
  withdrawn: "release.withdrawn",
};

type Differences = Pick<ReleaseChanges, "status" | "rolloutPercent" | "rolloutChannel">;

/** Returns the requested values that differ from the release's. */
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

function checkTransition(
  release: Release,
  { status }: Differences,
  now: number,
): Result<ReleaseChanges, ChangeReleaseFailure> {
  if (release.status === "withdrawn") return err({ code: "release_withdrawn" });
  if (status === undefined) return ok({});
  if (!nextStatuses[release.status].includes(status)) return err({ code: "illegal_transition" });
  if (status !== "active") return ok({});
  if (!release.hasImage && release.externalUrl === null) return err({ code: "image_missing" });
  return ok({ haltedAt: null, activatedAt: release.activatedAt ?? now });
}

/** Returns the old and new value of each field that changes. */
function describeChanges(release: Release, differences: Differences): JsonObject {
  const fields = Object.entries(differences) as [keyof Differences, JsonValue][];
  return Object.fromEntries(fields.map(([name, to]) => [name, { from: release[name], to }]));
}

/**
 * Activates, pauses or withdraws a release, or changes its share or channel. An operator can change no other field of a
 * release. Values that the release already has are ignored. Concurrent changes are applied one after the other.
 */
export async function changeRelease(
  { store, releaseCatalog, events, clock, policies }: GatewayContext,
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
    const checked = checkTransition(release, differences, now);
    if (checked.isErr()) return err(checked.error);

    const { version, targetHardware } = release;
    if (differences.status === "active") {
      const { rolloutChannel, rolloutPercent } = { ...release, ...differences };
      const rollout = { rolloutChannel, rolloutPercent };
      const publication = { releaseId: id, version, targetHardware, ...rollout, ...by };
      const allowed = await runHook(policies.before, "publish", "refused", publication);
      if (allowed.isErr()) return err(allowed.error);
    }
    const event = makeEvent({
      kind: eventKinds[differences.status ?? "draft"],
      at: now,
      deviceId: "",
      ...by,
      details: { version, targetHardware, changes: describeChanges(release, differences) },
    });
    const outcome = await releaseCatalog.change(() =>
      store.releases.change({
        id,
        expectedRevision: release.revision,
        changes: { ...differences, ...checked.value },
        event,
      }),
    );
    if (outcome.kind === "changed") {
      events.announce(event);
      return ok(outcome.release);
    }
  }
}
