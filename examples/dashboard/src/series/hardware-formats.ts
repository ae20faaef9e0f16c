import type { DeviceSummary, MetricDescriptions } from "@device-gateway/core/contract";
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { call } from "../api/call.js";
import { createFormats, type FormatOf, type MetricFormat } from "./metric-format.js";

/** How the metrics of a target hardware are shown. Descriptions belong to hardware, so one device of each is asked. */
const formats = signal<ReadonlyMap<string, FormatOf>>(new Map());
const askedAt = new Map<string, number>();
const maxAgeMs = 60_000;
const none = createFormats({});

type Described = Pick<DeviceSummary, "id" | "targetHardware">;

async function readFormats({ id, targetHardware }: Described): Promise<void> {
  if (Date.now() - (askedAt.get(targetHardware) ?? 0) < maxAgeMs) return;
  askedAt.set(targetHardware, Date.now());
  const reply = await call("readDeviceMetrics", { params: { deviceId: id } });
  const descriptions: MetricDescriptions = reply.ok ? reply.value.metrics : {};
  // A failed read keeps what is known.
  if (!reply.ok && formats.value.has(targetHardware)) return;
  formats.value = new Map([...formats.value, [targetHardware, createFormats(descriptions)]]);
}

/** Lets the descriptions of a target hardware be read again at the next use, because they have changed. */
export const forgetFormats = (targetHardware: string) => void askedAt.delete(targetHardware);

/** Returns one device of each target hardware, the most frequent hardware first. */
export function onePerHardware<Device extends Described>(
  devices: readonly Device[],
  most: number,
): readonly Device[] {
  const counts = new Map<string, { readonly device: Device; count: number }>();
  for (const device of devices) {
    const known = counts.get(device.targetHardware);
    if (known) known.count += 1;
    else counts.set(device.targetHardware, { device, count: 1 });
  }
  return [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, most)
    .map(({ device }) => device);
}

/**
 * Returns how a metric is shown for these devices. Reads the descriptions of each target hardware once a minute. Until
 * then, and where the hardware differ, a metric has its own name.
 */
export function useHardwareFormats(devices: readonly Described[]): FormatOf {
  const key = JSON.stringify(devices.map(({ targetHardware }) => targetHardware));
  useEffect(() => {
    for (const device of devices) void readFormats(device);
  }, [key]);
  const known = formats.value;
  return useMemo(() => {
    const all = devices.map(({ targetHardware }) => known.get(targetHardware) ?? none);
    return (metric) => agree(all.map((formatOf) => formatOf(metric))) ?? none(metric);
  }, [key, known]);
}

/** Returns the format of a metric if all hardware have the same name and unit for it. */
function agree(all: readonly MetricFormat[]): MetricFormat | undefined {
  const [first, ...others] = all;
  const isSame = ({ name, unit }: MetricFormat) => name === first?.name && unit === first.unit;
  return others.every(isSame) ? first : undefined;
}
