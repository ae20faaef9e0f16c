import { clientAddressOf } from "@device-gateway/core/node";
import type { Request } from "express";

/** The header that better-auth reads a client's address from. Nobody outside can set it. */
export const clientAddressHeader = "x-device-gateway-client-address";

/** Writes down the address as Express knows it, over whatever the client sent in its place. */
export function setClientAddress(request: Request): void {
  request.headers[clientAddressHeader] = clientAddressOf(request, request.ip) ?? "";
}
