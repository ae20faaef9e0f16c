import type { GatewayContext } from "../context.js";
import { addressName, siteName } from "../throttle/address-name.js";
import type { RegistrationInput } from "./registration.js";

/**
 * Runs a store call of a registration when it is the turn of the client's site. A site may send hundreds of
 * registrations at once, and they would take all connections of the database. Production addresses and calls without
 * an address do not wait.
 * @throws {UnwantedWorkError} if the response came too late, or the client disconnected, while the call waited.
 */
export function inSitesTurn<Outcome>(
  { registrationsInTurn, isProductionAddress }: GatewayContext,
  { origin: { clientAddress }, turn }: Pick<RegistrationInput, "origin" | "turn">,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  if (clientAddress === null || isProductionAddress(clientAddress)) return call();
  return registrationsInTurn(siteName(addressName(clientAddress)), async (hasWaited) => {
    if (hasWaited) await turn();
    return call();
  });
}
