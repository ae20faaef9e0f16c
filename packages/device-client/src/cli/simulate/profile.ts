/** How roughly the world treats a virtual gateway; shares are of 1, for each interval. */
export interface Profile {
  readonly powerCut: number;
  /** A record is sent once more although it was acknowledged. */
  readonly duplicate: number;
  /** A request or its answer gets lost on the way. */
  readonly lostRequest: number;
  /** Clocks run wrong by up to this share. */
  readonly clockDrift: number;
  /** A new firmware turns out bad: it crashes, or fails its self-test, and the gateway goes back. */
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
