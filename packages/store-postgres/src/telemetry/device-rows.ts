import type { Connection } from "../database/connection/connection.js";
import type { Session } from "../database/statement.js";
import { findNumbers } from "../device/device-numbers.js";

/** The rows of a device. */
export interface DeviceRows {
  readonly device: number;
  /** Runs statements that read. Steps of one call can share a deadline. */
  readStep<Outcome>(
    work: (session: Session) => Promise<Outcome>,
    deadline?: number,
  ): Promise<Outcome>;
}

/** Finds the rows of a device. Returns undefined if the device is unknown. */
export type FindDevice = (deviceId: string, deadline?: number) => Promise<DeviceRows | undefined>;

/** Creates a function that finds the rows of devices in one database. */
export const findDeviceIn =
  ({ readStep }: Pick<Connection, "readStep">): FindDevice =>
  async (deviceId, deadline) => {
    const find = (session: Session) => findNumbers(session, [deviceId]);
    const device = (await readStep(find, deadline)).get(deviceId);
    return device === undefined ? undefined : { device, readStep };
  };
