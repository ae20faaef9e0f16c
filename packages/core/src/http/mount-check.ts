import type { Logger } from "../ports/logger.js";

const pathOf = (url: string) => new URL(url).pathname.replace(/\/+$/, "");

/**
 * Creates a check that warns once if download URLs would lack the path at which the gateway is mounted. The check gets
 * the path from the transport, because the gateway does not know it.
 */
export function createMountCheck(
  publicUrl: string | undefined,
  logger: Pick<Logger, "warn">,
): (mountPath: string | undefined) => void {
  let isChecked = publicUrl === undefined;
  return (mountPath) => {
    if (isChecked || mountPath === undefined || publicUrl === undefined) return;
    isChecked = true;
    // Express matches mount paths in any case.
    if (pathOf(publicUrl).toLowerCase() === mountPath.toLowerCase()) return;
    const expected = new URL(publicUrl).origin + mountPath;
    logger.warn(
      { publicUrl, mountPath, expected },
      `The gateway is mounted at "${mountPath || "/"}", but publicUrl is "${publicUrl}", so devices get wrong download URLs. Set publicUrl to "${expected}", unless a proxy changes the path.`,
    );
  };
}
