import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "../database/connection.js";
import { createWaitingLine } from "../database/waiting-line.js";
import { prepareShapeUses } from "./shape-uses.js";

/** Rows deleted in one transaction: few, since each record may lie on a page of its own. */
const step = 250;
/** How long a call waits for the rows to be gone: nobody can reach them any more. */
const patienceMs = 800;

/**
 * Creates what deletes the rows that erased devices left behind, in steps between which others have
 * their turn. It goes on when the caller's patience ends, until the store is closed or can't; the
 * next call goes on there. It never rejects: the devices are gone, whatever happens here.
 */
export function createErasedClearing(
  { database, read, write }: Connection,
  logger: Logger | undefined,
): () => Promise<void> {
  const { isAnyLeft, clearSome } = prepareClearing(database);
  const inLine = createWaitingLine();

  async function clearAll(): Promise<void> {
    try {
      while (await read(isAnyLeft)) {
        await write(clearSome);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      logger?.warn({ err: error }, "Could not clear what erased devices sent; trying again later");
    }
  }

  return () => Promise.race([inLine(clearAll), wait(patienceMs, undefined, { ref: false })]);
}

function prepareClearing(database: Database) {
  const uses = prepareShapeUses(database);
  const anyLeft = database.prepare(
    "SELECT 1 FROM telemetry_erased UNION ALL SELECT 1 FROM ota_events_erased LIMIT 1",
  );
  const findDevice = database
    .prepare<[], number>("SELECT device FROM telemetry_erased LIMIT 1")
    .pluck();
  // In this order nothing comes after its turn: only a record opens an hour, only an open one is written.
  const deletions = [
    ["telemetry", "position"],
    ["telemetry_open_hours", "device, hour"],
    ["telemetry_rollups", "device, hour"],
    ["telemetry_crowds", "rowid"],
    ["telemetry_keys", "rowid"],
  ].map(([table, row]) =>
    database.prepare<[number, number]>(
      `DELETE FROM ${table} WHERE (${row}) IN
         (SELECT ${row} FROM ${table} WHERE device = ? LIMIT ?)`,
    ),
  );
  const forgetDevice = database.prepare<[number]>("DELETE FROM telemetry_erased WHERE device = ?");
  const deleteEvents = database.prepare<[number]>(
    `DELETE FROM ota_events WHERE id IN
       (SELECT e.id FROM ota_events_erased AS x
        JOIN ota_events AS e ON e.device_id = x.device_id AND e.id <= x.up_to LIMIT ?)`,
  );
  const forgetEvents = database.prepare("DELETE FROM ota_events_erased");

  /** What is left to delete in this step when a device's rows are gone. */
  function clearDevice(device: number): number {
    let left = step;
    for (const deletion of deletions) {
      left -= deletion.run(device, left).changes;
      if (left === 0) return 0;
    }
    uses.dropOf(device);
    forgetDevice.run(device);
    return left;
  }

  return {
    isAnyLeft: () => anyLeft.get() !== undefined,
    clearSome(): void {
      const device = findDevice.get();
      const left = device === undefined ? step : clearDevice(device);
      if (left > 0 && deleteEvents.run(left).changes < left) forgetEvents.run();
    },
  };
}
