import { hash } from "node:crypto";
import {
  comparedRecords,
  countBytes,
  digestContent,
  type JsonObject,
  longestSameContent,
  type RowContent,
  sameContent,
  type TelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";
import type { ShapeRows } from "../shapes/shape-rows.js";

/** `digestContent` with Node's SHA-256, which is faster than the portable one. */
const digestOf = (value: JsonObject) =>
  digestContent(value, (text) => hash("sha256", text, "base64url"));

interface InstantRow {
  readonly position: number;
  readonly seq: number | null;
  readonly timed: 0 | 1;
  readonly shape: number | null;
  readonly length: number;
}

/** A record of an instant. */
interface Known extends Pick<TelemetryRecord, "seq" | "isTimed"> {
  /** Returns the record, or undefined if its content or skeleton is longer than `longest`. */
  valueUpTo(longest: number): JsonObject | undefined;
}

/** Returns a record that was stored in this transaction, so that it need not be read. */
function toKnown({ seq, isTimed, value }: TelemetryRecord): Known {
  let length: number | undefined;
  return {
    seq,
    isTimed,
    valueUpTo(longest) {
      length ??= countBytes(value);
      return length > longest ? undefined : value;
    },
  };
}

/** Returns whether one of the records is the same as a timed record of their instant. */
function isAnySame(known: readonly Known[], { seq, value }: TelemetryRecord): boolean {
  const candidates = known.filter((other) => other.isTimed && other.seq === seq);
  if (candidates.length === 0) return false;
  const longest = longestSameContent(value);
  return candidates.some((other) => {
    const stored = other.valueUpTo(longest);
    return stored !== undefined && sameContent(stored, value);
  });
}

/** Finds timed records that are already stored (§4). */
export interface DuplicateSearch {
  /** Call it when a transaction begins. */
  begin(): void;
  /**
   * Returns whether the record is a duplicate. Call `noteStored` after the record is stored in this
   * transaction.
   */
  search(
    device: number,
    record: TelemetryRecord,
  ): { readonly isDuplicate: boolean; readonly noteStored?: () => void };
  /** Deletes up to 500 digests, oldest first, of instants before `at`. */
  dropBefore(at: number): void;
}

/**
 * Each timed record of an instant is one of its first eight records, or its digest is stored. A
 * device that sends any number of records for one instant therefore costs no more than others. A
 * stored record that is too long to have the same content is not read, so small records of instants
 * with large ones cost no more either. Names, nulls and empty values take no bytes of a content, so
 * the length of its skeleton counts too.
 */
export function prepareDuplicateSearch(database: Database, shapes: ShapeRows): DuplicateSearch {
  // SQLite knows the length of a blob without reading it.
  const atInstant = database.prepare<[number, number], InstantRow>(
    `SELECT position, seq, timed, shape, length(content) AS length FROM telemetry
     WHERE device = ? AND at = ? ORDER BY position LIMIT ${comparedRecords}`,
  );
  const contentAt = database.prepare<[number], RowContent>(
    "SELECT shape, content FROM telemetry WHERE position = ?",
  );
  const findDigest = database.prepare<[number, number, string, number | null]>(
    "SELECT 1 FROM telemetry_crowds WHERE device = ? AND at = ? AND digest = ? AND seq IS ?",
  );
  const noteDigest = database.prepare<[number, number, string, number | null]>(
    "INSERT INTO telemetry_crowds (device, at, digest, seq) VALUES (?, ?, ?, ?)",
  );
  const drop = database.prepare<[number]>(
    `DELETE FROM telemetry_crowds WHERE rowid IN
       (SELECT rowid FROM telemetry_crowds ORDER BY rowid LIMIT 500) AND at < ?`,
  );
  /** The first records of each instant that was searched for this batch, which may have many records of few instants. */
  const instants = new Map<string, Known[]>();
  const nameOf = (device: number, at: number) => `${device} ${at}`;

  /** Returns a stored record, which is read when its content is first needed. */
  function fromRow({ position, seq, timed, shape, length }: InstantRow): Known {
    let value: JsonObject | undefined;
    return {
      seq,
      isTimed: timed === 1,
      valueUpTo(longest) {
        if (length > longest) return undefined;
        if (shape !== null && shapes.skeletonLength(shape) > longest) return undefined;
        value ??= shapes.unpackRecord(contentAt.get(position) as RowContent);
        return value;
      },
    };
  }

  function firstOf(device: number, at: number): Known[] {
    const instant = nameOf(device, at);
    const first = instants.get(instant) ?? atInstant.all(device, at).map(fromRow);
    instants.set(instant, first);
    return first;
  }

  return {
    begin: () => instants.clear(),
    search(device, record) {
      const { at, seq, value } = record;
      if (!record.isTimed) {
        // Its instant has one more record now.
        instants.delete(nameOf(device, at));
        return { isDuplicate: false };
      }
      const first = firstOf(device, at);
      if (isAnySame(first, record)) return { isDuplicate: true };
      if (first.length < comparedRecords) {
        return { isDuplicate: false, noteStored: () => void first.push(toKnown(record)) };
      }
      const digest = digestOf(value);
      return {
        isDuplicate: findDigest.get(device, at, digest, seq) !== undefined,
        noteStored: () => void noteDigest.run(device, at, digest, seq),
      };
    },
    dropBefore: (at) => void drop.run(at),
  };
}
