import { chartDoubles, type DoubleRow, prepareNameLists, sampleDoubles } from "./double-blobs.js";
import type { Layout } from "./layout.js";
import { prepareTwinSearch, shortHash } from "./twins.js";

/** B's columns, each device's records side by side: no index, and a page a device. */
export const clusteredRows: Layout = {
  name: "C clustered",
  title: "JSON text and doubles, WITHOUT ROWID by device and time",
  open(database) {
    database.exec(`
      CREATE TABLE telemetry (
        device INTEGER NOT NULL,
        at INTEGER NOT NULL,
        position INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        seq INTEGER,
        content_hash BLOB,
        shape INTEGER NOT NULL,
        metrics BLOB NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (device, at, position)
      ) STRICT, WITHOUT ROWID;`);
    const lists = prepareNameLists(database);
    const insert = database.prepare<
      [number, number, number, number, number | null, Buffer | null, number, Buffer, string]
    >("INSERT INTO telemetry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const span = "FROM telemetry WHERE device = ? AND at >= ? AND at < ? ORDER BY at, position";
    const list = database.prepare<[number, number, number], DoubleRow>(
      `SELECT at, shape, metrics ${span}`,
    );
    const texts = database.prepare<[number, number, number], string>(`SELECT body ${span}`).pluck();
    const one = database
      .prepare<[number, number], string>("SELECT body FROM telemetry WHERE device = ? AND at = ?")
      .pluck();
    // There is no order of arrival to walk: one device after the other.
    const next = database
      .prepare<[number], number>(
        "SELECT device FROM telemetry WHERE device > ? ORDER BY device LIMIT 1",
      )
      .pluck();
    const remove = database.prepare<[number, number, number]>(
      `DELETE FROM telemetry WHERE (device, at, position) IN
         (SELECT device, at, position FROM telemetry WHERE device = ? AND at < ? LIMIT ?)`,
    );
    const hasTwin = prepareTwinSearch(database);
    let position = 0;
    let sweptDevice = -1;
    return {
      append(records) {
        let stored = 0;
        for (const record of records) {
          if (hasTwin(record)) continue;
          const { device, at, receivedAt, seq, contentHash, value } = record;
          const { shape, metrics } = lists.pack(record.metrics);
          const hash = shortHash(contentHash);
          const body = JSON.stringify(value);
          insert.run(device, at, ++position, receivedAt, seq, hash, shape, metrics, body);
          stored += 1;
        }
        return stored;
      },
      chart: (query) =>
        chartDoubles(list.iterate(query.device, query.from, query.to), lists.names, query),
      read: (device, at) => one.get(device, at),
      bodies: ({ device, from, to }) => texts.iterate(device, from, to),
      samples: ({ device, from, to }) => sampleDoubles(list.iterate(device, from, to), lists.names),
      removeSome(before, limit) {
        let removed = 0;
        while (removed < limit) {
          const device = next.get(sweptDevice);
          if (device === undefined) {
            sweptDevice = -1;
            break;
          }
          const { changes } = remove.run(device, before, limit - removed);
          removed += changes;
          if (removed < limit) sweptDevice = device;
        }
        return removed;
      },
    };
  },
};
