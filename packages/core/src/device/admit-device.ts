/** A device that asks to be registered. None of it is proven. */
export interface Applicant {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly firmwareVersion: string;
  readonly clientAddress: string | null;
  /** There is a device with this id already. */
  readonly registered: boolean;
}

/** Refuses devices, or lets only known ones in. */
export type AdmitDevice = (applicant: Applicant) => boolean | Promise<boolean>;
