import {
  type DeviceStore,
  ownerEventKinds,
  type SecurityEventKind,
  type SecurityEventStore,
  type StoredSecurityEvent,
  type WebhookDelivery,
} from "@device-gateway/core/store";

/** The owner of a device, and the id of the event by which the user became its owner. */
export interface Claim {
  readonly ownerId: string;
  readonly eventId: number;
}

export interface ClaimReader {
  readonly devices: Pick<DeviceStore, "find">;
  readonly securityEvents: Pick<SecurityEventStore, "newest">;
}

/** Each of them begins or ends an ownership. */
const ownershipKinds: readonly SecurityEventKind[] = [
  "device.claimed",
  "device.assigned",
  "device.released",
  "device.erased",
  "device.dropped",
];

/** Returns whom an event made the owner of its device, or null. */
function ownerBy({ kind, actor, details }: StoredSecurityEvent): string | null {
  if (kind === "device.claimed") return actor;
  const { customerId } = details;
  return kind === "device.assigned" && typeof customerId === "string" ? customerId : null;
}

/**
 * Returns the present claim of a device, or null if nobody owns it. Events that were read before this call belong to
 * the claim if their id is not lower than the claim's.
 */
export async function findClaim(
  { devices, securityEvents }: ClaimReader,
  deviceId: string,
): Promise<Claim | null> {
  // Reads the log first. If the owner changes between the two reads, either they disagree and the result is null, or
  // the claim is older than the present one. In the second case, all events that the caller has are older than the
  // change of owner, so none of them after the returned claim is of another owner.
  const [event] = await securityEvents.newest({
    ...{ deviceId, kinds: ownershipKinds, before: Number.MAX_SAFE_INTEGER, limit: 1 },
  });
  const device = await devices.find(deviceId);
  const ownerId = event === undefined ? null : ownerBy(event);
  if (event === undefined || ownerId === null) return null;
  return device?.ownership?.ownerId === ownerId ? { ownerId, eventId: event.id } : null;
}

/**
 * Returns the latest claim in the log of a device whose database does not answer. The device may have changed hands
 * since, and the events that the caller has then belong to nobody: a user who became the owner by a later event gets
 * none of them.
 */
export async function findLoggedClaim(
  { list }: Pick<SecurityEventStore, "list">,
  deviceId: string,
): Promise<Claim | null> {
  const limit = 100;
  let latest: StoredSecurityEvent | undefined;
  for (let hasMore = true; hasMore; ) {
    const after: number = latest?.id ?? 0;
    const events = await list({ deviceId, kinds: ownershipKinds, after, limit });
    latest = events.at(-1) ?? latest;
    hasMore = events.length === limit;
  }
  const ownerId = latest === undefined ? null : ownerBy(latest);
  return latest === undefined || ownerId === null ? null : { ownerId, eventId: latest.id };
}

const isOfClaim = (claim: Claim | null | undefined, ownerId: string, eventId: number): boolean =>
  claim?.ownerId === ownerId && eventId >= claim.eventId;

/**
 * Whether an owner's endpoint may get an event: it happened during the present ownership, and alerts are of the owner's
 * own rules. `claim` is the present claim of the event's device.
 */
export const mayOwnerGet = (
  ownerId: string,
  { id, kind, details }: StoredSecurityEvent,
  claim: Claim | null | undefined,
): boolean =>
  isOfClaim(claim, ownerId, id) &&
  ownerEventKinds.includes(kind) &&
  (!kind.startsWith("alert.") || details["ownerId"] === ownerId);

/**
 * Whether the endpoint of an owner (null: of the operators) may still get a message. `claimOf` returns present claims.
 */
export async function mayStillGet(
  claimOf: (deviceId: string) => Promise<Claim | null>,
  ownerId: string | null,
  { eventId, queue }: WebhookDelivery,
): Promise<boolean> {
  // Tests and gaps are about no device.
  if (ownerId === null || eventId === 0 || queue === "") return true;
  return isOfClaim(await claimOf(queue), ownerId, eventId);
}
