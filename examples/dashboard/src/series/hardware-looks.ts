import type { DeviceSummary, MetricDescriptions } from "@device-gateway/core/contract";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.js";
import { createLooks, type LookOf, type MetricLook } from "./metric-look.js";

/** How the metrics of a target hardware are shown. Descriptions belong to hardware, so one device of each is asked. */
const looks = signal<ReadonlyMap<string, LookOf>>(new Map());
const askedAt = new Map<string, number>();
const maxAgeMs = 60_000;
const none = createLooks({});

type Described = Pick<DeviceSummary, "id" | "targetHardware">;

async function readLooks({ id, targetHardware }: Described): Promise<void> {
  if (Date.now() - (askedAt.get(targetHardware) ?? 0) < maxAgeMs) return;
  askedAt.set(targetHardware, Date.now());
  const reply = await call("readDeviceMetrics", { params: { deviceId: id } });
  const descriptions: MetricDescriptions = reply.ok ? reply.value.metrics : {};
  // A failed read keeps what is known.
  if (!reply.ok && looks.value.has(targetHardware)) return;
  looks.value = new Map([...looks.value, [targetHardware, createLooks(descriptions)]]);
}

/** Returns one device of each target hardware, the most frequent hardware first. */
export function findSamples<Device extends Described>(
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
export function useHardwareLooks(devices: readonly Described[]): LookOf {
  const key = JSON.stringify(devices.map(({ targetHardware }) => targetHardware));
  useEffect(() => {
    for (const device of devices) void readLooks(device);
  }, [key]);
  const all = devices.map(({ targetHardware }) => looks.value.get(targetHardware) ?? none);
  return (metric) => agree(all.map((lookOf) => lookOf(metric))) ?? none(metric);
}

/** Returns the look of a metric if all hardware have the same name and unit for it. */
function agree(all: readonly MetricLook[]): MetricLook | undefined {
  const [first, ...others] = all;
  const isSame = ({ name, unit }: MetricLook) => name === first?.name && unit === first.unit;
  return others.every(isSame) ? first : undefined;
}
