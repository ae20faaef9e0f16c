import { createBuckets } from "../buckets.js";
import { type ChunkRecord, type PackedChunk, timeColumns, unpackChunk } from "../encoding/chunk.js";
import { unpackColumns } from "../encoding/columns.js";
import { unpackRecord } from "../encoding/packed-record.js";
import { putTogether } from "../encoding/skeleton.js";
import { hourMs } from "../fleet.js";
import type { Layout, LayoutTables, Span } from "./layout.js";
import { openPackedRows } from "./packed-rows.js";
import { identityOf, prepareSettling } from "./settling.js";
import { createPlaces } from "./shapes.js";
import { shortHash } from "./twins.js";

interface ChunkRow extends PackedChunk {
  readonly start: number;
  readonly shape: number;
}

interface TailRow {
  readonly position: number;
  readonly at: number;
  readonly shape: number;
  readonly packed: Buffer;
}

type Placed = Pick<ChunkRecord, "at" | "position" | "numbers" | "strings"> & {
  readonly shape: number;
};

/** F for what is new; behind a watermark, a row of columns for each device, time and shape. */
export function createChunkedRows(hours = 1): Layout {
  return {
    name: hours === 1 ? "E chunked" : `E chunked ${hours} h`,
    title: `F while new, then columns a device, ${hours === 1 ? "hour" : `${hours} hours`} and shape`,
    open: (database) => {
      const tail = openPackedRows(database);
      database.exec(`
        CREATE TABLE chunks (
          id INTEGER PRIMARY KEY,
          device INTEGER NOT NULL,
          start INTEGER NOT NULL,
          shape INTEGER NOT NULL,
          records INTEGER NOT NULL,
          last_position INTEGER NOT NULL,
          strings TEXT NOT NULL, -- JSON
          identities TEXT, -- JSON
          columns BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX chunks_by_time ON chunks (device, start, shape);
        CREATE INDEX chunks_by_age ON chunks (start);
        CREATE TABLE settling (through INTEGER NOT NULL, next_device INTEGER NOT NULL) STRICT;
        INSERT INTO settling VALUES (0, 0);`);
      const { shapes } = tail;
      const chunkMs = hours * hourMs;
      const settling = prepareSettling(database, shapes, chunkMs);
      const inChunks = database.prepare<[number, number, number], ChunkRow>(
        `SELECT start, shape, columns, strings, identities FROM chunks
         WHERE device = ? AND start > ? AND start < ? ORDER BY start, shape`,
      );
      const onlyColumns = database.prepare<[number, number, number], ChunkRow>(
        `SELECT start, shape, columns FROM chunks
         WHERE device = ? AND start > ? AND start < ? ORDER BY start, shape`,
      );
      const inTail = database.prepare<[number, number, number, number], TailRow>(
        `SELECT position, at, shape, packed FROM telemetry
         WHERE device = ? AND at >= ? AND at < ? AND position > ? ORDER BY at, position`,
      );
      const removeOld = database.prepare<[number, number]>(
        `DELETE FROM chunks WHERE id IN
           (SELECT id FROM chunks WHERE start <= ? ORDER BY start LIMIT ?)`,
      );

      /** What is in the tail alone: copies that wait for their end are left out. */
      const tailOf = ({ device, from, to }: Span) => {
        const { through, nextDevice } = settling.state();
        return inTail.all(device, from, to, device < nextDevice ? through : 0);
      };

      /** Records ascending by time, a chunk's time and what arrived late for it at once. */
      function* groups(span: Span): Iterable<Placed[]> {
        const { device, from, to } = span;
        const rest = tailOf(span).map(({ packed, shape, ...row }): Placed => {
          return { ...row, shape, ...unpackRecord(packed, shapes.get(shape).names.length) };
        });
        let group: Placed[] = [];
        let start = -1;
        const finish = (end: number) => {
          let late = 0;
          while (late < rest.length && (rest[late] as Placed).at < end) late++;
          group.push(...rest.splice(0, late));
          group.sort((a, b) => a.at - b.at || a.position - b.position);
          return group.filter(({ at }) => at >= from && at < to);
        };
        for (const row of inChunks.iterate(device, from - chunkMs, to)) {
          if (row.start !== start && start >= 0) {
            yield finish(row.start);
            group = [];
          }
          start = row.start;
          for (const record of unpackChunk(row)) group.push({ ...record, shape: row.shape });
        }
        yield finish(to);
      }

      const chart: LayoutTables["chart"] = ({ device, from, to, metrics, bucketMs }) => {
        const buckets = createBuckets(bucketMs, metrics.length);
        const placesOf = createPlaces(shapes, metrics);
        for (const { shape, columns } of onlyColumns.iterate(device, from - chunkMs, to)) {
          const wanted = placesOf(shape);
          const [ats, ...values] = unpackColumns(columns, [
            0,
            ...wanted.map(({ place }) => place + timeColumns),
          ]);
          for (const [n, { metric }] of wanted.entries()) {
            const column = values[n] as Float64Array;
            for (let row = 0; row < column.length; row++) {
              const at = ats?.[row] as number;
              if (at >= from && at < to) buckets.add(at, metric, column[row] as number);
            }
          }
        }
        for (const { at, shape, packed } of tailOf({ device, from, to })) {
          const { numbers } = unpackRecord(packed, shapes.get(shape).names.length);
          for (const { place, metric } of placesOf(shape)) {
            buckets.add(at, metric, numbers[place] as number);
          }
        }
        return buckets;
      };

      /** Whether chunks hold a record already; each chunk is opened once a call. */
      const createChunkSearch = () => {
        const opened = new Map<string, ReadonlySet<string>>();
        return (device: number, at: number, identity: string) => {
          const start = at - (at % chunkMs);
          const key = `${device} ${start}`;
          let known = opened.get(key);
          if (known === undefined) {
            const rows = inChunks.all(device, start - 1, start + 1);
            const records = rows.flatMap((row) =>
              row.identities === null ? [] : unpackChunk(row),
            );
            known = new Set(records.map((record) => `${record.at} ${record.identity}`));
            opened.set(key, known);
          }
          return known.has(`${at} ${identity}`);
        };
      };

      return {
        append(records) {
          const inChunk = createChunkSearch();
          const fresh = records.filter(({ device, at, seq, contentHash }) => {
            const hash = shortHash(contentHash);
            return hash === null || !inChunk(device, at, identityOf(hash, seq));
          });
          return tail.append(fresh);
        },
        chart,
        read(device, at) {
          for (const group of groups({ device, from: at, to: at + 1 })) {
            const [record] = group;
            if (record)
              return putTogether(shapes.get(record.shape), record.numbers, record.strings);
          }
          return undefined;
        },
        *bodies(span) {
          for (const group of groups(span)) {
            for (const { shape, numbers, strings } of group) {
              yield putTogether(shapes.get(shape), numbers, strings);
            }
          }
        },
        *samples(span) {
          for (const group of groups(span)) {
            for (const { at, shape, numbers } of group) {
              yield { at, names: shapes.get(shape).names, values: numbers };
            }
          }
        },
        removeSome(before, limit) {
          const { changes } = removeOld.run(before - chunkMs, Math.ceil(limit / 30));
          return changes > 0 ? changes * 30 : tail.removeSome(before, limit);
        },
        settleSome: (before) => settling.some(before),
      };
    },
  };
}
