import type { Database } from "better-sqlite3";
import { type ChunkRecord, type PackedChunk, packChunk, unpackChunk } from "../encoding/chunk.js";
import { unpackRecord } from "../encoding/packed-record.js";
import { hourMs } from "../fleet.js";
import type { Shapes } from "./shapes.js";

interface TailRow {
  readonly position: number;
  readonly at: number;
  readonly receivedAt: number;
  readonly seq: number | null;
  readonly hash: Buffer | null;
  readonly shape: number;
  readonly packed: Buffer;
}

interface Settling {
  /** The last position that moves this time; 0 between times. */
  readonly through: number;
  /** The first device whose records have not been copied yet. */
  readonly nextDevice: number;
}

/**
 * Moves what was received before a time from the tail to chunks: first copies, some devices a
 * transaction, and notes how far it is, so that readers leave out what was copied; then deletes
 * the tail's beginning, whole pages at a time.
 */
export function prepareSettling(database: Database, shapes: Shapes, chunkMs = hourMs) {
  const state = database.prepare<[], Settling>(
    `SELECT through, next_device AS nextDevice FROM settling`,
  );
  const save = database.prepare<[number, number]>(
    "UPDATE settling SET through = ?, next_device = ?",
  );
  const receipt = database.prepare<[number], { position: number; receivedAt: number }>(
    `SELECT position, received_at AS receivedAt FROM telemetry
     WHERE position >= ? ORDER BY position LIMIT 1`,
  );
  const ends = database.prepare<[], { first: number | null; last: number | null }>(
    `SELECT (SELECT min(position) FROM telemetry) AS first,
       (SELECT max(position) FROM telemetry) AS last`,
  );
  const nextDevice = database
    .prepare<[number], number>(
      "SELECT device FROM telemetry WHERE device >= ? ORDER BY device LIMIT 1",
    )
    .pluck();
  const tail = database.prepare<[number, number], TailRow>(
    `SELECT position, at, received_at AS receivedAt, seq, content_hash AS hash, shape, packed
     FROM telemetry WHERE device = ? AND position <= ? ORDER BY at, position`,
  );
  const find = database.prepare<[number, number, number], PackedChunk>(
    "SELECT columns, strings, identities FROM chunks WHERE device = ? AND start = ? AND shape = ?",
  );
  const put = database.prepare<
    [number, number, number, number, number, Buffer, string, string | null]
  >(
    `INSERT INTO chunks (device, start, shape, records, last_position, columns, strings, identities)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (device, start, shape) DO UPDATE SET records = excluded.records,
       last_position = excluded.last_position, columns = excluded.columns,
       strings = excluded.strings, identities = excluded.identities`,
  );
  const remove = database.prepare<[number, number]>(
    `DELETE FROM telemetry WHERE position IN
       (SELECT position FROM telemetry ORDER BY position LIMIT ?) AND position <= ?`,
  );

  /** Positions ascend with the time of receipt, so the last one before a time can be searched. */
  function lastBefore(before: number): number {
    const { first, last } = ends.get() ?? { first: null, last: null };
    if (first === null || last === null) return 0;
    let [low, high] = [first, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = receipt.get(middle);
      if (row !== undefined && row.receivedAt < before) low = row.position + 1;
      else high = middle;
    }
    return low > first ? low - 1 : 0;
  }

  function store(device: number, start: number, shape: number, fresh: ChunkRecord[]): void {
    const settled = find.get(device, start, shape);
    // Late records: their chunk is made anew.
    const records = settled === undefined ? fresh : [...unpackChunk(settled), ...fresh];
    if (settled !== undefined) records.sort((a, b) => a.at - b.at || a.position - b.position);
    const { columns, strings, identities } = packChunk(records);
    const last = records.reduce((most, { position }) => Math.max(most, position), 0);
    put.run(device, start, shape, records.length, last, columns, strings, identities);
  }

  function copyDevice(device: number, through: number): number {
    const groups = new Map<string, { start: number; shape: number; records: ChunkRecord[] }>();
    const rows = tail.all(device, through);
    for (const { at, shape, packed, hash, seq, position, receivedAt } of rows) {
      const start = at - (at % chunkMs);
      const key = `${start} ${shape}`;
      const group = groups.get(key) ?? { start, shape, records: [] };
      groups.set(key, group);
      const identity = hash && identityOf(hash, seq);
      const values = unpackRecord(packed, shapes.get(shape).names.length);
      group.records.push({ at, receivedAt, position, identity, ...values });
    }
    for (const { start, shape, records } of groups.values()) store(device, start, shape, records);
    return rows.length;
  }

  function copySome(through: number, from: number, limit: number): number {
    let moved = 0;
    let device = nextDevice.get(from);
    while (device !== undefined && moved < limit) {
      moved += copyDevice(device, through);
      device = nextDevice.get(device + 1);
    }
    save.run(through, device ?? Number.MAX_SAFE_INTEGER);
    return Math.max(1, moved);
  }

  return {
    state: (): Settling => state.get() ?? { through: 0, nextDevice: 0 },
    some(before: number, limit = 1_000): number {
      const { through, nextDevice: device } = state.get() ?? { through: 0, nextDevice: 0 };
      if (through === 0) {
        const last = lastBefore(before);
        return last === 0 ? 0 : copySome(last, 0, limit);
      }
      if (device < Number.MAX_SAFE_INTEGER) return copySome(through, device, limit);
      const { changes } = remove.run(4 * limit, through);
      if (changes < 4 * limit) save.run(0, 0);
      return Math.max(1, changes);
    },
  };
}

export const identityOf = (hash: Buffer, seq: number | null): string =>
  `${hash.toString("base64url", 0, 8)} ${seq ?? ""}`;
