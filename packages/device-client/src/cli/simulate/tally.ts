/** What a simulated fleet did, in all. */
export interface Tally {
  recorded: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  waiting: number;
  requests: number;
  powerCuts: number;
  retries: number;
  updated: number;
  rolledBack: number;
  online: number;
  /** By code: what is neither a lost answer nor a request to wait. */
  readonly surprises: Map<string, number>;
}

export const createTally = (): Tally => ({
  recorded: 0,
  accepted: 0,
  duplicates: 0,
  rejected: 0,
  waiting: 0,
  requests: 0,
  powerCuts: 0,
  retries: 0,
  updated: 0,
  rolledBack: 0,
  online: 0,
  surprises: new Map(),
});

const count = (value: number) => value.toLocaleString("en-US");

/** How it goes, in one line. */
export function summarize(tally: Tally, seconds: number, devices: number): string {
  const parts = [
    `${Math.round(seconds)} s`,
    `${count(tally.online)} of ${count(devices)} online`,
    `${count(tally.accepted)} stored`,
    `${count(tally.waiting)} waiting`,
    `${count(Math.round(tally.requests / Math.max(1, seconds)))} requests/s`,
    `${count(tally.retries)} retries`,
    `${count(tally.powerCuts)} power cuts`,
  ];
  const { updated, rolledBack } = tally;
  if (updated + rolledBack > 0) parts.push(`${updated} updated, ${rolledBack} rolled back`);
  return parts.join(" · ");
}

/** What a fleet that lost nothing does not have; empty when all is well. */
export function findFaults(tally: Tally): string[] {
  const faults: string[] = [];
  const { recorded, accepted, duplicates, rejected, waiting } = tally;
  if (waiting > 0) faults.push(`${count(waiting)} readings never reached the server.`);
  const arrived = accepted + duplicates;
  if (waiting === 0 && arrived !== recorded) {
    faults.push(`${count(recorded)} readings were made, and ${count(arrived)} arrived.`);
  }
  if (rejected > 0) faults.push(`${count(rejected)} readings were rejected.`);
  for (const [code, times] of tally.surprises) faults.push(`${code}, ${count(times)} times.`);
  return faults;
}
