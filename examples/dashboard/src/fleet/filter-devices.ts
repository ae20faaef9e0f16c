import type { DeviceSummary } from "@device-gateway/core/contract";

export type Filter = "all" | "online" | "offline" | "update";
export type Order = "name" | "seen";

const passes: Readonly<Record<Filter, (device: DeviceSummary) => boolean>> = {
  all: () => true,
  online: ({ status }) => status === "online",
  offline: ({ status }) => status === "offline",
  update: ({ updateAvailable }) => updateAvailable,
};

/** Words in any order, each somewhere in the name, the id, the hardware or the firmware. */
export function searchDevices(
  devices: readonly DeviceSummary[],
  search: string,
): readonly DeviceSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return devices;
  return devices.filter(({ id, name, targetHardware, firmwareVersion }) => {
    const text = `${name}\n${id}\n${targetHardware}\n${firmwareVersion}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countByFilter(devices: readonly DeviceSummary[]): Record<Filter, number> {
  const of = (filter: Filter) => devices.filter(passes[filter]).length;
  return {
    all: devices.length,
    online: of("online"),
    offline: of("offline"),
    update: of("update"),
  };
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const seenAt = ({ lastSeen }: DeviceSummary) => (lastSeen === null ? 0 : Date.parse(lastSeen));

export function arrangeDevices(
  devices: readonly DeviceSummary[],
  filter: Filter,
  order: Order,
): readonly DeviceSummary[] {
  const kept = devices.filter(passes[filter]);
  const compare: (a: DeviceSummary, b: DeviceSummary) => number =
    order === "seen"
      ? (a, b) => seenAt(b) - seenAt(a)
      : (a, b) => names.compare(a.name, b.name) || names.compare(a.id, b.id);
  return kept.sort(compare);
}
