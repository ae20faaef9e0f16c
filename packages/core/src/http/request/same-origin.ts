import type { GatewayRequest } from "./message.js";

/**
 * Returns whether a browser sent the request from the gateway's own pages. It checks Sec-Fetch-Site, or else Origin
 * against the configured origin or, without one, against the Host header. Use it for routes of your own that a cookie
 * authenticates.
 *
 * @example
 * if (!isSameOrigin({ header: (name) => request.get(name) }, publicUrl)) response.status(403).end();
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
