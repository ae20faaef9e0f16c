import type { Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { ReleaseChange } from "../../contract/index.js";
import type { Failure } from "../../shared/failure.js";
import { type ChangeReleaseFailure, changeRelease } from "./change-release.js";
import { type Publication, type PublishFailure, publishRelease } from "./publish-release.js";
import { readRelease } from "./read-release.js";
import type { Release } from "./release.js";

/** Manages releases for the embedder, by the same rules as for an operator. */
export interface FirmwareAdmin {
  /**
   * Verifies a signed release, stores its image and activates it. A repeated call continues where the last one ended.
   * `actor` is recorded in the audit trail.
   */
  publish(
    input: Publication & { readonly actor: string },
  ): Promise<Result<Release, PublishFailure>>;
  /** Activates, pauses or withdraws a release, or changes its share or channel. */
  change(input: {
    readonly releaseId: number;
    readonly change: ReleaseChange;
    readonly actor: string;
  }): Promise<Result<Release, ChangeReleaseFailure>>;
  /** Returns a release. */
  find(releaseId: number): Promise<Result<Release, Failure<"release_not_found">>>;
}

export function createFirmwareAdmin(context: GatewayContext): FirmwareAdmin {
  const by = (actor: string) => ({ actor, origin: { requestId: null, clientAddress: null } });
  return {
    publish: ({ actor, ...publication }) => publishRelease(context, publication, by(actor)),
    change: ({ releaseId, change, actor }) => changeRelease(context, releaseId, change, by(actor)),
    find: (releaseId) => readRelease(context, releaseId),
  };
}
