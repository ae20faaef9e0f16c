import { type InTurn, inTurnOfAll } from "../shared/in-turn.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { addressName, siteName } from "../throttle/address-name.js";

interface Requester {
  /** The route that checks the code. */
  readonly at: "claim" | "register";
  /** The customer who claims. Registrations have no customer. */
  readonly actor: string;
  readonly origin: RequestOrigin;
}

/** Returns the keys of a requester's groups, from the narrowest group to the widest. */
function groupsOf({ at, actor, origin }: Requester): string[] {
  const address = addressName(origin.clientAddress);
  const groups = [`${at}:address:${address}`, `${at}:site:${siteName(address)}`, at];
  return at === "claim" ? [`claim:customer:${actor}`, ...groups] : groups;
}

/**
 * Reserves an attempt when it is the requester's turn. One reservation of a route runs at a time in a process, because
 * all of them change the budget of the fleet: in the database they would wait for its lock, each holding a connection.
 * Client sites take turns, so a reservation waits for at most one of each other site. Within a site, its addresses take
 * turns, and so do the customers of an address. The device has no queue: a stranger could fill it.
 */
export const inReservationTurn = <Outcome>(
  budgetsInTurn: InTurn,
  requester: Requester,
  reserve: () => Promise<Outcome>,
): Promise<Outcome> => inTurnOfAll(budgetsInTurn, groupsOf(requester), reserve);
