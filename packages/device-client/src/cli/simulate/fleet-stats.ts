import type { Refusal } from "../../update/machine/update-event.js";

/** What a simulated fleet did in total. */
export interface FleetStats {
  recorded: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  /** Why the server rejected the last of them. */
  rejection: string;
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
  /** Readings of which the server stored a repetition. */
  storedTwice: number;
  /** Number of gateways that refused firmware, by the reason. */
  readonly refusedFirmware: Map<Refusal, number>;
  /** Number of updates that failed though the image was good, by the reason. */
  readonly failedUpdates: Map<string, number>;
  /** Errors by code, without transient ones: how often, and the message of the last one. */
  readonly errors: Map<string, { readonly times: number; readonly message: string }>;
}

export const createFleetStats = (): FleetStats => ({
  recorded: 0,
  accepted: 0,
  duplicates: 0,
  rejected: 0,
  rejection: "",
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
  storedTwice: 0,
  refusedFirmware: new Map(),
  failedUpdates: new Map(),
  errors: new Map(),
});

/** Adds one to the number of a key. */
export function countOne<Key>(numbers: Map<Key, number>, key: Key): void {
  numbers.set(key, (numbers.get(key) ?? 0) + 1);
}
