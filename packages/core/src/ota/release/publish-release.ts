import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { GatewayContext } from "../../context.js";
import { ReleaseRequest } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { toFieldErrors } from "../../shared/field-errors.js";
import { type ChangeReleaseFailure, changeRelease } from "./change-release.js";
import { type CreateReleaseFailure, createRelease, type ReleaseActor } from "./create-release.js";
import type { Release } from "./release.js";
import { type StoreImageFailure, storeImage } from "./store-image.js";

export interface Publication {
  /** The signed release. The gateway must have the public key. */
  readonly release: z.input<typeof ReleaseRequest>;
  /** Not needed if the release has an `externalUrl`. */
  readonly image?: Uint8Array | AsyncIterable<Uint8Array>;
}

export type PublishFailure =
  | CreateReleaseFailure
  | StoreImageFailure
  | ChangeReleaseFailure
  | Failure<"invalid_request">;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Creates a release, stores its image and activates it. A repeated call continues where the last one ended. */
export async function publishRelease(
  context: GatewayContext,
  { release: described, image }: Publication,
  by: ReleaseActor,
): Promise<Result<Release, PublishFailure>> {
  const request = ReleaseRequest.safeParse(described);
  if (!request.success) {
    return err({ code: "invalid_request", errors: toFieldErrors(request.error) });
  }
  const created = await createRelease(context, request.data, by);
  if (created.isErr()) return err(created.error);
  let { release } = created.value;
  if (image !== undefined && !release.hasImage) {
    const content = image instanceof Uint8Array ? once(image) : image;
    const stored = await storeImage(context, release.id, content, by);
    if (stored.isErr()) return err(stored.error);
    release = stored.value;
  }
  // A release that somebody paused or withdrew in the meantime stays so.
  return release.status === "draft"
    ? changeRelease(context, release.id, { status: "active" }, by)
    : ok(release);
}
