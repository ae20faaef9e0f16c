import { clientAddressOf, clientSiteOf } from "@device-gateway/core/node";
import type { Request } from "express";

/** The header that better-auth reads the client's address from. Clients cannot set it: `setClientAddress` overwrites it. */
export const clientAddressHeader = "x-device-gateway-client-address";

/**
 * Sets the header to the client's address as Express knows it, and overwrites whatever the client sent. Returns the
 * client's site.
 */
export function setClientAddress(request: Request): string {
  const address = clientAddressOf(request, request.ip);
  request.headers[clientAddressHeader] = address ?? "";
  return clientSiteOf(address);
}
