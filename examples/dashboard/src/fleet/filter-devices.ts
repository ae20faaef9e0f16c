import type { DeviceSummary } from "@device-gateway/core/contract";

export type Filter = "all" | "online" | "offline" | "revoked" | "update";
export type Order = "name" | "seen";

const passes: Readonly<Record<Filter, (device: DeviceSummary) => boolean>> = {
  all: () => true,
  online: ({ status, revokedAt }) => revokedAt === undefined && status === "online",
  offline: ({ status, revokedAt }) => revokedAt === undefined && status === "offline",
  revoked: ({ revokedAt }) => revokedAt !== undefined,
  update: ({ updateAvailable }) => updateAvailable,
};

const texts = new WeakMap<DeviceSummary, string>();

function textOf(device: DeviceSummary): string {
  const { id, name, targetHardware, firmwareVersion } = device;
  const known = texts.get(device);
  if (known !== undefined) return known;
  const text = `${name}\n${id}\n${targetHardware}\n${firmwareVersion}`.toLowerCase();
  texts.set(device, text);
  return text;
}

/** Returns the devices that contain each word of the search in their name, id, hardware or firmware. */
export function searchDevices(
  devices: readonly DeviceSummary[],
  search: string,
): readonly DeviceSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return devices;
  return devices.filter((device) => words.every((word) => textOf(device).includes(word)));
}

export const filterDevices = (devices: readonly DeviceSummary[], filter: Filter) =>
  filter === "all" ? devices : devices.filter(passes[filter]);

export function countByFilter(devices: readonly DeviceSummary[]): Record<Filter, number> {
  const of = (filter: Filter) => filterDevices(devices, filter).length;
  return {
    all: devices.length,
    online: of("online"),
    offline: of("offline"),
    revoked: of("revoked"),
    update: of("update"),
  };
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const seenAt = ({ lastSeen }: DeviceSummary) => (lastSeen === null ? 0 : Date.parse(lastSeen));

/** Returns a sorted copy. Sorting is the expensive step, so the page sorts once per list, before it searches. */
export function sortDevices(
  devices: readonly DeviceSummary[],
  order: Order,
): readonly DeviceSummary[] {
  const compare: (a: DeviceSummary, b: DeviceSummary) => number =
    order === "seen"
      ? (a, b) => seenAt(b) - seenAt(a)
      : (a, b) => names.compare(a.name, b.name) || names.compare(a.id, b.id);
  return devices.toSorted(compare);
}
