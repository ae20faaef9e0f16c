import { chartDoubles, type DoubleRow, prepareNameLists, sampleDoubles } from "./double-blobs.js";
import type { Layout } from "./layout.js";
import { prepareRemoval, prepareTwinSearch, shortHash } from "./twins.js";

/** A2 and the metrics beside the text, as doubles: charts need not parse. */
export const blobRows: Layout = {
  name: "B text+doubles",
  title: "JSON text and a blob of doubles by arrival, one index",
  open(database) {
    database.exec(`
      CREATE TABLE telemetry (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        device INTEGER NOT NULL,
        at INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        seq INTEGER,
        content_hash BLOB,
        shape INTEGER NOT NULL,
        metrics BLOB NOT NULL, -- before the text: read without its overflow
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX telemetry_by_time ON telemetry (device, at);`);
    const lists = prepareNameLists(database);
    const insert = database.prepare<
      [number, number, number, number | null, Buffer | null, number, Buffer, string]
    >(
      `INSERT INTO telemetry (device, at, received_at, seq, content_hash, shape, metrics, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const span = "FROM telemetry WHERE device = ? AND at >= ? AND at < ? ORDER BY at, position";
    const list = database.prepare<[number, number, number], DoubleRow>(
      `SELECT at, shape, metrics ${span}`,
    );
    const texts = database.prepare<[number, number, number], string>(`SELECT body ${span}`).pluck();
    const one = database
      .prepare<[number, number], string>("SELECT body FROM telemetry WHERE device = ? AND at = ?")
      .pluck();
    const hasTwin = prepareTwinSearch(database);
    return {
      append(records) {
        let stored = 0;
        for (const record of records) {
          if (hasTwin(record)) continue;
          const { device, at, receivedAt, seq, contentHash, value } = record;
          const { shape, metrics } = lists.pack(record.metrics);
          const body = JSON.stringify(value);
          insert.run(device, at, receivedAt, seq, shortHash(contentHash), shape, metrics, body);
          stored += 1;
        }
        return stored;
      },
      chart: (query) =>
        chartDoubles(list.iterate(query.device, query.from, query.to), lists.names, query),
      read: (device, at) => one.get(device, at),
      bodies: ({ device, from, to }) => texts.iterate(device, from, to),
      samples: ({ device, from, to }) => sampleDoubles(list.iterate(device, from, to), lists.names),
      removeSome: prepareRemoval(database),
    };
  },
};
