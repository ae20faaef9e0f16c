import { StoreUnavailableError } from "@device-gateway/core/store";
import type { Client } from "pg";
import { toStoreError } from "../database/connection/store-errors.js";
import { dropArrival, endArrival, hasArrived, prepareArrival } from "./arrival.js";
import { beginMove, findMove, handOver, type Move, undoMove } from "./fence.js";
import { toArriving } from "./mover-connection.js";
import {
  checkCounts,
  copySequences,
  copyTable,
  listTables,
  sizeOf,
  type Table,
  type Target,
  verifyTable,
} from "./tables.js";

/** A step of a move, when it has ended. */
export type MoveStep =
  /** No server can use the source any more: their requests get 503. */
  | { readonly step: "fenced" }
  /** The target has empty tables, under a name that no server looks for. */
  | { readonly step: "prepared"; readonly schema: string }
  | { readonly step: "copied" | "verified"; readonly schema: string; readonly table: string }
  /** The source is never used again. Until here the move can be undone. */
  | { readonly step: "handed over" }
  /** Servers can use the target. */
  | { readonly step: "opened"; readonly schema: string };

/** What a move has moved. */
export interface MoveOutcome {
  /** Whether an earlier call has moved everything. Then `rows`, `records` and `bytes` are 0. */
  readonly wasMoved: boolean;
  /** Rows of all tables. */
  readonly rows: number;
  /** Rows of telemetry. */
  readonly records: number;
  /** Tables and indexes of the source, in bytes. */
  readonly bytes: number;
  /** Duration in milliseconds, without the time of an earlier call that was interrupted. */
  readonly ms: number;
}

export interface Transfer {
  readonly source: Client;
  readonly schema: string;
  readonly runtimeRole?: string | undefined;
  readonly onStep?: ((step: MoveStep) => Promise<void> | void) | undefined;
  /** Returns the targets. Called when the source is fenced. */
  readonly targets: (move: Move) => Promise<readonly Target[]>;
  /** Whether each row of a table goes to exactly one target. Default: all tables. */
  readonly isDivided?: (table: Table) => boolean;
  /** Writes rows of its own to a target, when all tables are copied and verified. It may be repeated. */
  readonly finish?: (target: Target, place: number) => Promise<void>;
}

/**
 * Moves the rows of a schema to its targets. The source's database says how far the move is, so it continues after the
 * process was killed. Nothing is in two places that servers use: first the source is fenced, and the targets are opened
 * after the source was handed over, which cannot be undone.
 */
export async function transfer({
  source,
  schema,
  runtimeRole,
  onStep = () => {},
  ...options
}: Transfer): Promise<MoveOutcome> {
  const startedAt = performance.now();
  const move = await beginMove(source, schema);
  await onStep({ step: "fenced" });
  const targets = await options.targets(move);
  const counts = new Map<Table, number>();
  if (move.state === "copying") {
    const tables = await listTables(source, schema);
    for (const target of targets) {
      await prepareArrival(target, move);
      await onStep({ step: "prepared", schema: target.schema });
      for (const table of tables) {
        await copyTable(source, schema, target, table);
        await onStep({ step: "copied", schema: target.schema, table: table.name });
      }
      await copySequences(source, schema, target);
    }
    for (const [place, target] of targets.entries()) {
      for (const table of tables) {
        const count = await verifyTable(source, schema, target, table);
        counts.set(table, (counts.get(table) ?? 0) + count);
        await onStep({ step: "verified", schema: target.schema, table: table.name });
      }
      await options.finish?.(target, place);
    }
    await checkCounts(source, schema, counts, options.isDivided);
    await handOver(source, schema, move);
    await onStep({ step: "handed over" });
  }
  let wasMoved = move.state === "handed_over";
  for (const target of targets) {
    wasMoved &&= await hasArrived(target, move);
    await endArrival(target, move, runtimeRole);
    await onStep({ step: "opened", schema: target.schema });
  }
  const sum = (some: readonly [Table, number][]) => some.reduce((total, [, n]) => total + n, 0);
  const rows = sum([...counts]);
  const records = sum([...counts].filter(([{ bounds }]) => bounds !== null));
  const bytes = wasMoved ? 0 : await sizeOf(source, schema);
  return { wasMoved, rows, records, bytes, ms: performance.now() - startedAt };
}

/** A place that rows were sent to. */
interface TargetPlace {
  readonly schema: string;
  /** Opens a connection, which is ended afterwards. */
  readonly open: () => Promise<Client>;
}

/** The remains of a move that was undone. */
export interface UndoOutcome {
  /**
   * Schemas that were not deleted, because their databases did not answer. No server looks for them, but another move
   * to the same place does not start while they exist.
   */
  readonly left: readonly string[];
}

/** Undoes a move whose source was not handed over. What has arrived in targets that can be reached is deleted. */
export async function undoTransfer(
  source: Client,
  schema: string,
  places: readonly TargetPlace[],
): Promise<UndoOutcome> {
  const move = await findMove(source, schema);
  await undoMove(source, schema);
  const left: string[] = [];
  if (move === null) return { left };
  for (const place of places) {
    let client: Client | undefined;
    try {
      client = await place.open();
      await dropArrival({ client, schema: place.schema }, move);
    } catch (error) {
      if (!(toStoreError(error) instanceof StoreUnavailableError)) throw error;
      left.push(toArriving(place.schema));
    } finally {
      await client?.end();
    }
  }
  return { left };
}
