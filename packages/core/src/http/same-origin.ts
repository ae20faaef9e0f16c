import type { GatewayRequest } from "./message.js";

/**
 * Whether a browser sent the request from the gateway's own pages: by Sec-Fetch-Site, or by Origin,
 * compared with the configured origin or else with the Host that the browser asked for.
 */
export function isSameOrigin(
  request: Pick<GatewayRequest, "header">,
  publicUrl: string | undefined,
): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = request.header("origin");
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  return new URL(origin).host === request.header("host");
}
