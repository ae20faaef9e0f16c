import type { DeviceSummary } from "@device-gateway/core/contract";

/** States by which the list is filtered. The ones after `all` need attention, the most urgent first. */
export const filters = [
  "all",
  "refused",
  "failed",
  "offline",
  "revoked",
  "update",
  "online",
] as const;
export type Filter = (typeof filters)[number];

/** What the list shows. It is kept in the page's URL. */
export interface FleetView {
  readonly search: string;
  readonly filter: Filter;
  /** An empty text stands for all. */
  readonly hardware: string;
  readonly version: string;
}

const isRevoked = ({ revokedAt }: DeviceSummary) => revokedAt !== undefined;
const passes: Readonly<Record<Filter, (device: DeviceSummary) => boolean>> = {
  all: () => true,
  refused: (device) => !isRevoked(device) && device.refusedAt !== undefined,
  failed: (device) => !isRevoked(device) && device.failedVersion !== undefined,
  offline: (device) => !isRevoked(device) && device.status === "offline",
  revoked: isRevoked,
  update: ({ updateAvailable }) => updateAvailable,
  online: (device) => !isRevoked(device) && device.status === "online",
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

/** Returns the devices with this hardware and firmware version. */
export const filterByModel = (
  devices: readonly DeviceSummary[],
  { hardware, version }: Pick<FleetView, "hardware" | "version">,
): readonly DeviceSummary[] =>
  hardware === "" && version === ""
    ? devices
    : devices.filter(
        (device) =>
          (hardware === "" || device.targetHardware === hardware) &&
          (version === "" || device.firmwareVersion === version),
      );

/** Counts the devices in each state, in one pass. */
export function countByFilter(devices: readonly DeviceSummary[]): Record<Filter, number> {
  const counts = Object.fromEntries(filters.map((filter) => [filter, 0])) as Record<Filter, number>;
  for (const device of devices) {
    for (const filter of filters) if (passes[filter](device)) counts[filter] += 1;
  }
  return counts;
}

/** Counts the devices with each value of a field, the most frequent first. */
export function countBy(
  devices: readonly DeviceSummary[],
  field: "targetHardware" | "firmwareVersion",
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const device of devices) counts.set(device[field], (counts.get(device[field]) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || names.compare(a, b));
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const seenAt = ({ lastSeen }: DeviceSummary) => (lastSeen === null ? 0 : Date.parse(lastSeen));
/** The most urgent state first. */
const urgency = (device: DeviceSummary) =>
  ["refused", "failed", "offline", "revoked"].findIndex((filter) =>
    passes[filter as Filter](device),
  ) + 1 || filters.length;

type Compare = (a: DeviceSummary, b: DeviceSummary) => number;
const byName: Compare = (a, b) => names.compare(a.name, b.name) || names.compare(a.id, b.id);
const compares = {
  name: byName,
  state: (a, b) => urgency(a) - urgency(b) || byName(a, b),
  firmware: (a, b) => names.compare(a.firmwareVersion, b.firmwareVersion) || byName(a, b),
  /** The latest first. */
  seen: (a, b) => seenAt(b) - seenAt(a),
} as const satisfies Record<string, Compare>;

export type Column = keyof typeof compares;
/** A column, with a hyphen before it for the reverse order. */
export type Order = Column | `-${Column}`;

export const columnOf = (order: Order) => order.replace("-", "") as Column;

/** Returns the order that a text names, or by name. */
export const toOrder = (text: string | null): Order =>
  Object.hasOwn(compares, (text ?? "").replace("-", "")) ? (text as Order) : "name";

/** Returns a sorted copy. Sorting is the expensive step, so the page sorts once per list, before it searches. */
export function sortDevices(
  devices: readonly DeviceSummary[],
  order: Order,
): readonly DeviceSummary[] {
  const compare = compares[columnOf(order)];
  return devices.toSorted(order.startsWith("-") ? (a, b) => compare(b, a) : compare);
}
