import type { SecurityEvent, SecurityEventKind } from "./security-event.js";

const kinds = [
  "device.registered",
  "device.registered_again",
  "device.claimed",
  "device.assigned",
  "device.released",
  "release.activated",
] as const satisfies readonly SecurityEventKind[];

/** A change whose transaction the embedder can join: a registration, a claim, a release, a publication. */
export type TransactionEvent = SecurityEvent & { readonly kind: (typeof kinds)[number] };

/** Returns whether the embedder can join the transaction of an event. */
export const isTransactionEvent = (event: SecurityEvent): event is TransactionEvent =>
  (kinds as readonly SecurityEventKind[]).includes(event.kind);
