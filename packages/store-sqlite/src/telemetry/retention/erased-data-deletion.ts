import { setTimeout as wait } from "node:timers/promises";
import { createPacer, type Logger, nextTurn } from "@device-gateway/core/store";
import { createCallQueue } from "../../database/call-queue.js";
import type { Connection } from "../../database/connection.js";
import type { Database } from "../../database/database.js";
import { prepareErasedAlertsDeletion } from "../../device/erased-alerts.js";
import { prepareShapeUses } from "../shapes/shape-uses.js";
import { prepareRowDeletion, prepareSizedDeletion } from "./row-deletion.js";

/** The most rows deleted per transaction, and rows deleted between two looks at the clock: each record may be on a page of its own. */
const step = 250;
const rowsAtOnce = 50;
/**
 * How long a caller waits for the deletion, in milliseconds. Nobody can reach the rows any more.
 */
const callerWaitMs = 800;

/**
 * Creates a function that deletes the rows of erased devices, and the alerts that former owners had about a device. It
 * works in steps and lets other calls run between them. The deletion continues after the caller stops waiting, until the
 * store is closed or a step fails; the next call resumes it. The function never rejects, because nobody can reach the rows.
 */
export function createErasedDataDeletion(
  { database, read, write }: Connection,
  logger: Logger | undefined,
): () => Promise<void> {
  const { isAnyLeft, deleteSome } = prepareDeletion(database);
  const enqueue = createCallQueue();

  async function deleteAll(): Promise<void> {
    try {
      while (await read(isAnyLeft)) {
        await write(deleteSome);
        await nextTurn();
      }
    } catch (error) {
      logger?.warn(
        { err: error },
        "Could not delete the data of erased devices or the alerts of former owners; trying again later",
      );
    }
  }

  return () => Promise.race([enqueue(deleteAll), wait(callerWaitMs, undefined, { ref: false })]);
}

function prepareDeletion(database: Database) {
  const uses = prepareShapeUses(database);
  const anyLeft = database.prepare(
    `SELECT 1 FROM telemetry_erased UNION ALL SELECT 1 FROM ota_events_erased
     UNION ALL SELECT 1 FROM alerts_erased LIMIT 1`,
  );
  const findDevice = database
    .prepare<[], number>("SELECT device FROM telemetry_erased LIMIT 1")
    .pluck();
  // The order matters: only a record opens an hour, and only an open hour is rolled up, so no table
  // gets new rows after its turn.
  const deletions = [
    prepareSizedDeletion(database, "telemetry", "position"),
    prepareRowDeletion(database, "telemetry_open_hours", "device, hour"),
    prepareSizedDeletion(database, "telemetry_rollups", "device, hour"),
    prepareRowDeletion(database, "telemetry_crowds", "rowid"),
    prepareRowDeletion(database, "telemetry_keys", "rowid"),
  ];
  const unmarkDevice = database.prepare<[number]>("DELETE FROM telemetry_erased WHERE device = ?");
  // SQLite keeps the order of a CROSS JOIN. Otherwise it would read all events and look each one up.
  const deleteEvents = database.prepare<[number]>(
    `DELETE FROM ota_events WHERE id IN
       (SELECT id FROM ota_events_erased AS mark CROSS JOIN ota_events AS event
          ON event.device_id = mark.device_id AND event.id <= mark.up_to LIMIT ?)`,
  );
  const unmarkEvents = database.prepare("DELETE FROM ota_events_erased");
  const deleteAlerts = prepareErasedAlertsDeletion(database);

  /** Deletes rows of a device. Returns how many more rows may be deleted at once. */
  function deleteDeviceRows(device: number): number {
    let left = rowsAtOnce;
    for (const deleteRows of deletions) {
      left -= deleteRows(device, left);
      if (left === 0) return 0;
    }
    uses.dropOf(device);
    unmarkDevice.run(device);
    return left;
  }

  /** Deletes erased OTA events. Returns how many. */
  function deleteSomeEvents(most: number): number {
    const { changes } = deleteEvents.run(most);
    if (changes < most) unmarkEvents.run();
    return changes;
  }

  function deleteAtOnce(): void {
    const device = findDevice.get();
    let left = device === undefined ? rowsAtOnce : deleteDeviceRows(device);
    if (left > 0) left -= deleteSomeEvents(left);
    if (left > 0) deleteAlerts(left);
  }

  const isAnyLeft = () => anyLeft.get() !== undefined;

  return {
    isAnyLeft,
    /** Deletes rows for as long as one turn of the event loop has time. */
    deleteSome(): void {
      const pacer = createPacer();
      for (let rows = 0; rows < step && !pacer.isDue() && isAnyLeft(); rows += rowsAtOnce) {
        deleteAtOnce();
      }
    },
  };
}
