import { err, ok, type Result } from "neverthrow";
import type { OperatorRelease, Routes } from "../contract/index.js";
import type { CallFailure, CallRequest, GatewayApi } from "./gateway-api.js";

export interface Publication {
  /** The signed release. The gateway must have the public key. */
  readonly release: CallRequest<Routes["createRelease"]>["body"];
  /** Not needed if the release has an `externalUrl`. */
  readonly image?: Uint8Array | AsyncIterable<Uint8Array>;
}

type PublishFailure = CallFailure<
  Routes["createRelease"] | Routes["uploadReleaseImage"] | Routes["changeRelease"]
>;

/**
 * Creates a signed release, uploads its image and activates it, with three operator routes (§8). A repeated call
 * continues where the last one ended. A paused or withdrawn release stays paused or withdrawn.
 * @example
 * ```ts
 * const published = await publishRelease(gateway.as(operator({ id: "ci" })), { release, image });
 * ```
 */
export async function publishRelease(
  api: Pick<GatewayApi, "createRelease" | "uploadReleaseImage" | "changeRelease">,
  { release: described, image }: Publication,
): Promise<Result<OperatorRelease, PublishFailure>> {
  const created = await api.createRelease({ body: described });
  if (created.isErr()) return err(created.error);
  let { release } = created.value.body;
  const params = { releaseId: release.id };
  if (image !== undefined && !release.hasImage) {
    const uploaded = await api.uploadReleaseImage({ params, body: image });
    if (uploaded.isErr()) return err(uploaded.error);
    release = uploaded.value.body.release;
  }
  if (release.status !== "draft") return ok(release);
  const activated = await api.changeRelease({ params, body: { status: "active" } });
  return activated.map(({ body }) => body.release);
}
