import type { SecurityEvent, SecurityEventKind } from "./security-event.js";

const kinds = [
  "device.registered",
  "device.registered_again",
  "device.claimed",
  "device.assigned",
  "device.released",
  "release.activated",
] as const satisfies readonly SecurityEventKind[];

/** The event of a change whose transaction the embedder can join: a registration, claim, assignment, release or publication. */
export type TransactionEvent = SecurityEvent & { readonly kind: (typeof kinds)[number] };

/**
 * Returns whether the embedder can join the transaction of an event.
 *
 * @example
 * if (isTransactionEvent(event)) await inTransaction?.(client, event);
 */
export const isTransactionEvent = (event: SecurityEvent): event is TransactionEvent =>
  (kinds as readonly SecurityEventKind[]).includes(event.kind);
