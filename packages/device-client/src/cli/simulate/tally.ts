import { count } from "./count.js";

/** What a simulated fleet did, in all. */
export interface Tally {
  recorded: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  waiting: number;
  /** Readings that were sent once more although they were acknowledged. */
  repeated: number;
  requests: number;
  /** Requests or answers that were lost on purpose. */
  lost: number;
  powerCuts: number;
  retries: number;
  /** Images that ran, passed their self-test and were kept. */
  updated: number;
  crashed: number;
  failedSelfTests: number;
  rolledBack: number;
  /** Gateways that were offered firmware and have no key to verify it with. */
  untaken: number;
  /** Gateways that run a bad image at the end. */
  bad: number;
  /** Bytes of images. */
  downloaded: number;
  registered: number;
  /** Why a gateway could not register yet; null once one can. */
  trouble: string | null;
  /** By code: what is neither a lost answer nor a request to wait. */
  readonly surprises: Map<string, number>;
}

export const createTally = (): Tally => ({
  recorded: 0,
  accepted: 0,
  duplicates: 0,
  rejected: 0,
  waiting: 0,
  repeated: 0,
  requests: 0,
  lost: 0,
  powerCuts: 0,
  retries: 0,
  updated: 0,
  crashed: 0,
  failedSelfTests: 0,
  rolledBack: 0,
  untaken: 0,
  bad: 0,
  downloaded: 0,
  registered: 0,
  trouble: null,
  surprises: new Map(),
});

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
  if (tally.bad > 0) faults.push(`${count(tally.bad)} gateways stayed on bad firmware.`);
  for (const [code, times] of tally.surprises) faults.push(`${code}, ${count(times)} times.`);
  return faults;
}
