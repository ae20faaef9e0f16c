import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import { type ReleaseRequest, verifyRelease } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { toStorableText } from "../../shared/storable-text.js";
import type { Release } from "./release.js";

/** The user who changes a release, and the client address. */
export interface ReleaseActor {
  /** The operator's id, or a name that the embedder chooses. */
  readonly actor: string;
  readonly origin: RequestOrigin;
}

export type CreateReleaseFailure = Failure<
  "unknown_signing_key" | "invalid_signature" | "release_exists" | "invalid_request"
>;

const imageTooLarge = (most: number): CreateReleaseFailure => ({
  code: "invalid_request",
  errors: [
    {
      path: "size",
      code: "invalid",
      message: `The gateway stores images of at most ${most} bytes. Raise its limit firmwareImageBytes, or set externalUrl.`,
    },
  ],
});

const minVersionTooHigh: CreateReleaseFailure = {
  code: "invalid_request",
  errors: [
    {
      path: "minVersion",
      code: "invalid",
      message: "minVersion must be lower than the release's version.",
    },
  ],
};

/**
 * Creates a draft after its signature was verified. If a release with the same version, hardware and image exists,
 * returns it, so that publishing can be repeated. Rejects another image for the same version and hardware.
 */
export async function createRelease(
  { store, firmware, limits, clock, events }: GatewayContext,
  request: ReleaseRequest,
  by: ReleaseActor,
): Promise<Result<{ isNew: boolean; release: Release }, CreateReleaseFailure>> {
  const { version, targetHardware, sha256, size, minVersion, signingKeyId } = request;
  const { firmwareImageBytes } = limits;
  if (request.externalUrl === null && size > firmwareImageBytes) {
    return err(imageTooLarge(firmwareImageBytes));
  }
  if (minVersion !== null && compareFirmwareVersions(minVersion, version) >= 0) {
    return err(minVersionTooHigh);
  }
  const key = firmware.keys.get(signingKeyId);
  if (key === undefined) return err({ code: "unknown_signing_key" });
  if (!(await verifyRelease(key, request))) return err({ code: "invalid_signature" });

  const now = clock.now();
  const event = makeEvent({
    kind: "release.created",
    at: now,
    deviceId: "",
    ...by,
    details: { version, targetHardware, sha256, signingKeyId },
  });
  const outcome = await store.releases.create({
    release: {
      ...request,
      notes: toStorableText(request.notes),
      status: "draft",
      hasImage: false,
      haltedAt: null,
      createdAt: now,
      activatedAt: null,
    },
    event,
  });
  const { release } = outcome;
  if (outcome.kind === "created") {
    events.announce(event);
    return ok({ isNew: true, release });
  }
  const sameImage = release.sha256 === sha256 && release.size === size;
  return sameImage ? ok({ isNew: false, release }) : err({ code: "release_exists" });
}
