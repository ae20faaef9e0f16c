/** Faults that a virtual gateway suffers, as probabilities from 0 to 1. */
export interface Profile {
  /** The power fails, at a reading or during an update. */
  readonly powerCut: number;
  /** A record is sent again although it was acknowledged. */
  readonly duplicate: number;
  /** A request or its response is lost. */
  readonly lostRequest: number;
  /** Maximum relative error of the clock. */
  readonly clockDrift: number;
  /** A new firmware crashes or fails its self-test, so the gateway rolls back. */
  readonly badFirmware: number;
}

export const profiles: Readonly<Record<string, Profile>> = {
  steady: { powerCut: 0, duplicate: 0, lostRequest: 0, clockDrift: 0, badFirmware: 0 },
  rough: {
    powerCut: 0.02,
    duplicate: 0.05,
    lostRequest: 0.05,
    clockDrift: 0.000_1,
    badFirmware: 0.05,
  },
  hostile: {
    powerCut: 0.1,
    duplicate: 0.2,
    lostRequest: 0.25,
    clockDrift: 0.001,
    badFirmware: 0.5,
  },
};
