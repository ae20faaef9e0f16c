import {
  type Command,
  type UpdateAnswer,
  type UpdateCommand,
  waitingRequest,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Database } from "../database/database.js";
import { prepareOtaEventWriter } from "../ota/ota-event-writer.js";

/** The last "update now" request of a device, in its row. Run the functions in the transaction that changes the command. */
export interface UpdateRequests {
  /** Returns the id of the request that waits, or null. The device's flags must be set. */
  findWaiting(deviceId: string): string | null;
  /** Makes the command the device's request. */
  write(command: Command): void;
  /** Replaces the answer of the device's request, with its event, if it is this one and the answer differs. */
  answer(deviceId: string, requestId: string, answer: UpdateAnswer): void;
}

interface RequestRow {
  readonly request: string;
  readonly isOpen: number;
}

export function prepareUpdateRequests(database: Database): UpdateRequests {
  const writeChange = prepareChangeWriter(database);
  const writeOtaEvent = prepareOtaEventWriter(database);
  const find = database.prepare<[string], RequestRow>(
    `SELECT ota_command AS request, ota_command_open AS isOpen FROM devices
     WHERE device_id = ? AND ota_command IS NOT NULL`,
  );
  const update = database.prepare<[string, string]>(
    "UPDATE devices SET ota_command = ? WHERE device_id = ?",
  );
  const write = (deviceId: string, request: UpdateCommand) =>
    void update.run(JSON.stringify(request), deviceId);
  return {
    findWaiting(deviceId) {
      const row = find.get(deviceId);
      if (row === undefined) return null;
      const command = JSON.parse(row.request) as UpdateCommand;
      return waitingRequest({ command, isCommandOpen: row.isOpen === 1 })?.requestId ?? null;
    },
    write: ({ deviceId, commandId, sentAt }) =>
      write(deviceId, {
        ...{ requestId: commandId, requestedAt: sentAt },
        ...{ status: null, message: null, answeredAt: null },
      }),
    answer(deviceId, requestId, { status, message, event }) {
      const row = find.get(deviceId);
      if (row === undefined) return;
      const request = JSON.parse(row.request) as UpdateCommand;
      if (request.requestId !== requestId) return;
      if (request.status === status && request.message === message) return;
      write(deviceId, { ...request, status, message, answeredAt: event.createdAt });
      writeOtaEvent(event);
      writeChange(deviceId, event.createdAt);
    },
  };
}
