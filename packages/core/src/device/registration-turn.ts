import type { GatewayContext } from "../context.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { addressName, siteName } from "../throttle/address-name.js";

/**
 * Runs a store call of a registration when it is the turn of the client's site. A site may send hundreds of
 * registrations at once, and they would take all connections of the database. Production addresses do not wait.
 */
export function inSitesTurn<Outcome>(
  { registrationsInTurn, isProductionAddress }: GatewayContext,
  { clientAddress }: RequestOrigin,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  if (isProductionAddress(clientAddress)) return call();
  return registrationsInTurn(siteName(addressName(clientAddress)), call);
}
