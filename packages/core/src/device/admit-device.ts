/** A device that asks to be registered. Nothing of it is verified. */
export interface Applicant {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly firmwareVersion: string;
  readonly clientAddress: string | null;
  /** Whether a device with this id is already registered. */
  readonly registered: boolean;
}

/** Returns whether a device may register. */
export type AdmitDevice = (applicant: Applicant) => boolean | Promise<boolean>;
