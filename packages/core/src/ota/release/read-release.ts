import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Failure } from "../../shared/failure.js";
import type { Release } from "./release.js";

/** Returns a release with any status (§8). */
export async function readRelease(
  { store }: GatewayContext,
  id: number,
): Promise<Result<Release, Failure<"release_not_found">>> {
  const release = await store.releases.find(id);
  return release === null ? err({ code: "release_not_found" }) : ok(release);
}
