import type { Receiver } from "./receiver.js";

/** A record that a device has sent. */
export interface Sent {
  /** Epoch milliseconds. Never earlier than that of the record before. */
  readonly at: number;
  readonly value: number;
}

/** The alert fires above this value, and clears at it or below. */
export const threshold = 50;

/** Computes a device's transitions from all its records, in their order. */
export function computeTransitions(sent: readonly Sent[]): string[] {
  const transitions: string[] = [];
  let isFiring = false;
  for (const { at, value } of sent) {
    if (value > threshold === isFiring) continue;
    isFiring = !isFiring;
    transitions.push(`${isFiring ? "firing" : "cleared"} ${value} ${at}`);
  }
  return transitions;
}

/** Computes what a database has that keeps the last value of each device and millisecond. */
function computeValues(sent: ReadonlyMap<string, readonly Sent[]>): Map<string, number> {
  const values = new Map<string, number>();
  for (const [deviceId, records] of sent) {
    for (const { at, value } of records) values.set(`${deviceId} ${at}`, value);
  }
  return values;
}

/** Returns what the receiver lacks, or has otherwise. Empty when everything has arrived. */
export function findMissing(
  sent: ReadonlyMap<string, readonly Sent[]>,
  { values, notices }: Pick<Receiver, "values" | "notices">,
): string[] {
  const missing: string[] = [];
  const expected = [...computeValues(sent)];
  const wrong = expected.filter(([key, value]) => values.get(key) !== value).length;
  if (wrong > 0) missing.push(`the sink lacks ${wrong} of ${expected.length} values`);
  for (const [deviceId, records] of sent) {
    const told = new Set(
      notices.filter((one) => one.deviceId === deviceId).map(({ transition }) => transition),
    );
    const transitions = computeTransitions(records);
    const untold = transitions.filter((one) => !told.has(one)).length;
    if (untold > 0)
      missing.push(`${untold} of ${transitions.length} notices about ${deviceId} are missing`);
  }
  return missing;
}

/** Returns what is wrong with the ids of notices: one transition has several, or several transitions have one. */
export function findWrongIds(notices: Receiver["notices"]): string[] {
  const wrong: string[] = [];
  const [byId, byTransition] = [new Map<string, string>(), new Map<string, string>()];
  for (const { id, deviceId, transition } of notices) {
    const whole = `${deviceId} ${transition}`;
    if ((byId.get(id) ?? whole) !== whole) wrong.push(`two notices have the id ${id}`);
    if ((byTransition.get(whole) ?? id) !== id) wrong.push(`the notice "${whole}" has two ids`);
    byId.set(id, whole);
    byTransition.set(whole, id);
  }
  return wrong;
}
