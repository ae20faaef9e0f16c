import type { DeviceStore, StoredSecurityEvent, WebhookFilter } from "@device-gateway/core/store";

const allows = (list: readonly string[], value: string | undefined) =>
  list.length === 0 || (value !== undefined && list.includes(value));

/** Returns the events that a filter allows. Hardware and owner are those that the device has now. */
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
    const isOwners = allows(ownerIds, device?.ownership?.ownerId) || allows(ownerIds, event.actor);
    if (isOwners && allows(targetHardware, device?.profile.targetHardware)) chosen.push(event);
  }
  return chosen;
}
