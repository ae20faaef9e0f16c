import { type AlertStore, nextTurn } from "@device-gateway/core/store";

/** The devices that rules about silence wait for, and those of them that are silent. */
export interface Census {
  readonly watched: number;
  readonly overdue: number;
}

/** A census by owner. Null stands for the devices without one. */
export type OwnersCensus = ReadonlyMap<string | null, Census>;

const pageSize = 200;

/** At this time, every device with a watch is due. */
const endOfTime = Number.MAX_SAFE_INTEGER;

/** Counts the devices of the whole fleet by owner. Returns null if the signal aborts. */
export async function countByOwner(
  alerts: Pick<AlertStore, "due">,
  now: number,
  signal: AbortSignal | undefined,
): Promise<OwnersCensus | null> {
  const counts = new Map<string | null, { watched: number; overdue: number }>();
  for (let after: string | null = ""; after !== null; ) {
    if (signal?.aborted === true) return null;
    const page = await alerts.due({ after, now: endOfTime, limit: pageSize, everyone: false });
    for (const { device, watch } of page.devices) {
      const silentAt = watch?.silentAt ?? null;
      if (silentAt === null) continue;
      const ownerId = device.ownership?.ownerId ?? null;
      const count = counts.get(ownerId) ?? { watched: 0, overdue: 0 };
      count.watched += 1;
      if (silentAt <= now) count.overdue += 1;
      counts.set(ownerId, count);
    }
    after = page.next;
    await nextTurn();
  }
  return counts;
}

/** Returns the sum of all owners. */
export const sumOf = (counts: OwnersCensus): Census =>
  [...counts.values()].reduce(
    (sum, one) => ({ watched: sum.watched + one.watched, overdue: sum.overdue + one.overdue }),
    { watched: 0, overdue: 0 },
  );

/** Leaves out the owner with the most silent devices. Devices without an owner stay. */
export function withoutMostSilent(counts: OwnersCensus): OwnersCensus {
  const owners = [...counts].filter(([ownerId]) => ownerId !== null);
  const [most] = owners.toSorted(([, a], [, b]) => b.overdue - a.overdue);
  return new Map([...counts].filter(([ownerId]) => ownerId !== most?.[0]));
}
