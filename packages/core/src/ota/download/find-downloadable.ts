import type { GatewayContext } from "../../context.js";
import type { Release } from "../release/release.js";

/** Returns the active release with this id if it has an image and is for the device's hardware. */
export async function findDownloadable(
  { releaseCatalog }: GatewayContext,
  releaseId: number,
  targetHardware: string,
): Promise<Release | undefined> {
  const active = await releaseCatalog.list();
  const release = active.find(({ id }) => id === releaseId);
  return release?.hasImage && release.targetHardware === targetHardware ? release : undefined;
}
