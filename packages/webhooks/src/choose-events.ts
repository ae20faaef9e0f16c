import type { DeviceStore, StoredSecurityEvent, WebhookFilter } from "@device-gateway/core/store";

const allows = (list: readonly string[], value: string | undefined) =>
  list.length === 0 || (value !== undefined && list.includes(value));

/**
 * Returns the events that a filter allows. Hardware and owner are those that the device has now. An owner gets no event
 * from before the device was theirs.
 */
export async function chooseEvents(
  devices: Pick<DeviceStore, "find">,
  { kinds, deviceIds, targetHardware, ownerIds }: WebhookFilter,
  events: readonly StoredSecurityEvent[],
): Promise<readonly StoredSecurityEvent[]> {
  const named = events.filter(
    ({ kind, deviceId }) => allows(kinds, kind) && allows(deviceIds, deviceId),
  );
  if (targetHardware.length + ownerIds.length === 0) return named;
  const chosen: StoredSecurityEvent[] = [];
  for (const event of named) {
    const device = event.deviceId === "" ? null : await devices.find(event.deviceId);
    const { ownerId, visibleFrom = 0 } = device?.ownership ?? {};
    const isOwners = event.at >= visibleFrom && allows(ownerIds, ownerId);
    if (
      (isOwners || allows(ownerIds, event.actor)) &&
      allows(targetHardware, device?.profile.targetHardware)
    )
      chosen.push(event);
  }
  return chosen;
}
