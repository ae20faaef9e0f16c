import { makeEvent } from "./audit/make-event.js";
import type { GatewayContext } from "./context.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** So many rows a step: never a pause that requests would feel. */
const step = 500;

/** What was cleared away. */
export interface MaintenanceReport {
  readonly droppedRegistrations: number;
}

async function repeat(once: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (;;) {
    const count = await once();
    sum += count;
    if (count < step) return sum;
  }
}

/**
 * Clears away what has had its time: registrations that were never used (contract §1), tries
 * outside of every budget's window, changes that every process knows of.
 */
export async function maintain({
  store,
  clock,
  limits,
}: GatewayContext): Promise<MaintenanceReport> {
  const now = clock.now();
  const registeredBefore = now - limits.unusedRegistrationDays * dayMs;
  const origin = { requestId: null, clientAddress: null };
  const { deviceId: _, ...event } = makeEvent({
    kind: "device.dropped",
    at: now,
    deviceId: "",
    actor: "gateway",
    origin,
  });
  const before = now - hourMs;
  await repeat(() => store.budgets.prune({ before, limit: step }));
  await repeat(() => store.changes.prune({ before, limit: step }));
  const droppedRegistrations = await repeat(async () => {
    const drop = { deviceId: null, registeredBefore, limit: step, event };
    return (await store.devices.dropUnused(drop)).length;
  });
  return { droppedRegistrations };
}
