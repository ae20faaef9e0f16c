import { formatNumber } from "./format-number.js";

/** What a simulated fleet did in total. */
export interface FleetStats {
  recorded: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  waiting: number;
  /** Readings that were sent again although they were acknowledged. */
  repeated: number;
  requests: number;
  /** Requests or responses that were lost on purpose. */
  lost: number;
  powerCuts: number;
  retries: number;
  /** Images that passed their self-test and were confirmed. */
  updated: number;
  crashed: number;
  failedSelfTests: number;
  rolledBack: number;
  /** Gateways that were offered firmware but have no key to verify it. */
  offeredWithoutKey: number;
  /** Gateways that run bad firmware at the end. */
  stuckOnBadFirmware: number;
  /** Bytes of images that were downloaded. */
  downloaded: number;
  registered: number;
  /** How long the whole fleet took to register, in seconds. Null until it has. */
  registrationSeconds: number | null;
  /** Why a gateway cannot register yet. Null after a successful registration. */
  registrationProblem: string | null;
  /** Number of errors by code, without transient ones. */
  readonly unexpected: Map<string, number>;
}

export const createFleetStats = (): FleetStats => ({
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
  offeredWithoutKey: 0,
  stuckOnBadFirmware: 0,
  downloaded: 0,
  registered: 0,
  registrationSeconds: null,
  registrationProblem: null,
  unexpected: new Map(),
});

/** Returns a sentence for each problem: lost, repeated or rejected readings, bad firmware, errors. */
export function findProblems(stats: FleetStats): string[] {
  const problems: string[] = [];
  const { recorded, accepted, duplicates, rejected, waiting } = stats;
  if (waiting > 0) problems.push(`${formatNumber(waiting)} readings never reached the server.`);
  const arrived = accepted + duplicates;
  if (waiting === 0 && arrived !== recorded) {
    problems.push(
      `${formatNumber(recorded)} readings were recorded, but ${formatNumber(arrived)} arrived.`,
    );
  }
  if (rejected > 0) problems.push(`${formatNumber(rejected)} readings were rejected.`);
  if (stats.stuckOnBadFirmware > 0)
    problems.push(`${formatNumber(stats.stuckOnBadFirmware)} gateways stayed on bad firmware.`);
  for (const [code, times] of stats.unexpected)
    problems.push(`${code}, ${formatNumber(times)} times.`);
  return problems;
}
