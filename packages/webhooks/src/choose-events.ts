import {
  type DeviceStore,
  type StoredSecurityEvent,
  StoreUnavailableError,
  type WebhookFilter,
} from "@device-gateway/core/store";

type Devices = Pick<DeviceStore, "find">;

/** An event that a filter allows, or may allow. */
export interface ChosenEvent extends StoredSecurityEvent {
  /** Whether the filter is still to be asked, because the database of the device did not answer. Default: false. */
  readonly isUnjudged?: boolean;
}

const allows = (list: readonly string[], value: string | undefined) =>
  list.length === 0 || (value !== undefined && list.includes(value));

/**
 * Whether a filter allows the hardware and the owner that the device of an event has now. An owner gets no event from before
 * the device was theirs.
 */
export async function allowsDevice(
  devices: Devices,
  { targetHardware, ownerIds }: WebhookFilter,
  event: Pick<StoredSecurityEvent, "deviceId" | "actor" | "at">,
): Promise<boolean> {
  const device = event.deviceId === "" ? null : await devices.find(event.deviceId);
  const { ownerId, visibleFrom = 0 } = device?.ownership ?? {};
  const isOwners = event.at >= visibleFrom && allows(ownerIds, ownerId);
  return (
    (isOwners || allows(ownerIds, event.actor)) &&
    allows(targetHardware, device?.profile.targetHardware)
  );
}

/** Returns the events that a filter allows, and those of devices that cannot be read now. */
export async function chooseEvents(
  devices: Devices,
  filter: WebhookFilter,
  events: readonly StoredSecurityEvent[],
): Promise<readonly ChosenEvent[]> {
  const { kinds, deviceIds, targetHardware, ownerIds } = filter;
  const named = events.filter(
    ({ kind, deviceId }) => allows(kinds, kind) && allows(deviceIds, deviceId),
  );
  if (targetHardware.length + ownerIds.length === 0) return named;
  const chosen: ChosenEvent[] = [];
  for (const event of named) {
    try {
      if (await allowsDevice(devices, filter, event)) chosen.push(event);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      chosen.push({ ...event, isUnjudged: true });
    }
  }
  return chosen;
}
