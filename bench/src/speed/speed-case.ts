import type { Section } from "../measure.js";
import type { SpeedSetup } from "./contender.js";

export interface SpeedOptions {
  readonly repeats: number;
  /** Length of a round. */
  readonly seconds: number;
  readonly devices: number;
  /** Records in the table that charts are drawn from (P6). */
  readonly records: number;
  readonly progress: (text: string) => void;
}

/** One of the figures to reach. */
export interface SpeedCase {
  readonly title: string;
  run(setup: SpeedSetup, options: SpeedOptions): Promise<readonly Section[]>;
}
