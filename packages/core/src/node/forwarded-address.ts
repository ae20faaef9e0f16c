import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address: the peer's, or, behind so many proxies of your own, what the outermost of
 * them put into X-Forwarded-For. An entry that is no address is not believed.
 */
export function forwardedAddress(request: IncomingMessage, trustedProxies: number): string | null {
  const peer = request.socket.remoteAddress ?? null;
  if (trustedProxies === 0) return peer;
  const header = request.headers["x-forwarded-for"];
  const chain = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  const claimed = chain.at(-trustedProxies)?.trim() ?? "";
  return isIP(claimed) === 0 ? peer : claimed;
}
