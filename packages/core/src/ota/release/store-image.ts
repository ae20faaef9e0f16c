import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import type { Failure } from "../../shared/failure.js";
import type { ReleaseActor } from "./create-release.js";
import type { Release } from "./release.js";

export type StoreImageFailure = Failure<
  "release_not_found" | "release_withdrawn" | "image_mismatch"
>;

/**
 * Stores a release's image if it is the one that the release was signed for. Safe to repeat. If `content` fails,
 * rejects with its error.
 */
export async function storeImage(
  { store, firmware, releaseCatalog, clock }: GatewayContext,
  id: number,
  content: AsyncIterable<Uint8Array>,
  by: ReleaseActor,
): Promise<Result<Release, StoreImageFailure>> {
  const wanted = await store.releases.find(id);
  if (wanted === null) return err({ code: "release_not_found" });
  if (wanted.status === "withdrawn") return err({ code: "release_withdrawn" });
  const { sha256, size, version, targetHardware } = wanted;
  const written = await firmware.artifacts.write({ expected: { sha256, size }, content });
  if (written.kind === "mismatch") return err({ code: "image_mismatch" });

  let release: Release | null = wanted;
  while (release !== null && !release.hasImage) {
    // It may have been withdrawn during the upload.
    if (release.status === "withdrawn") return err({ code: "release_withdrawn" });
    const expectedRevision: number = release.revision;
    const event = makeEvent({
      kind: "release.changed",
      at: clock.now(),
      deviceId: "",
      ...by,
      details: { version, targetHardware, changes: { hasImage: { from: false, to: true } } },
    });
    const outcome = await releaseCatalog.change(() =>
      store.releases.change({ id, expectedRevision, changes: { hasImage: true }, event }),
    );
    release = outcome.kind === "changed" ? outcome.release : await store.releases.find(id);
  }
  return release === null ? err({ code: "release_not_found" }) : ok(release);
}
