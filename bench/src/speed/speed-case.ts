import type { Section } from "../measure.js";
import type { PlainMount, SpeedSetup } from "./contender.js";
import type { LoadGenerator } from "./run-wrk.js";
import type { StoreKind } from "./store/store-place.js";

export interface SpeedOptions {
  readonly repeats: number;
  /** Length of a round, in seconds. */
  readonly seconds: number;
  readonly devices: number;
  /** Connections of the load generator (P9). Default: 64. */
  readonly connections?: number;
  /** Offered load in records a second (P16). Default: a share of the highest rate without cells. */
  readonly perSecond?: number;
  /** Records in the table that charts read (P6, P8). */
  readonly records: number;
  /** Devices of the large fleet (P8). */
  readonly fleet: number;
  /** How long memory is watched, in minutes (P10). */
  readonly minutes: number;
  /** How a case serves the gateway if it does not mount it in Express: bare, or in the bundled server. */
  readonly mount: PlainMount;
  readonly progress: (text: string) => void;
  /** Default: wrk. */
  readonly generate?: LoadGenerator;
}

/** One case with its goal. */
export interface SpeedCase {
  readonly title: string;
  /** Default: all. */
  readonly stores?: readonly StoreKind[];
  run(setup: SpeedSetup, options: SpeedOptions): Promise<readonly Section[]>;
}
