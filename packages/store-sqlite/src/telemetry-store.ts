import {
  type AppendInput,
  type AppendOnce,
  type AppendOutcome,
  type AppendVerdict,
  coalesce,
  type StoredTelemetryRecord,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";
import { prepareOtaTeller } from "./ota-event-store.js";
import { prepareRecordRows } from "./record-rows.js";
import { prepareRollupRows } from "./rollup-rows.js";
import { createAggregation } from "./telemetry-history.js";
import { createRollup } from "./telemetry-rollup.js";

/** Records in one commit, so that it never holds other requests up for long; requests that may wait. */
const appendBounds = { batchWeight: 1_000, queueSize: 4_096 };

/** Metrics are not laid out: they can be derived from the body again. */
export function createTelemetryStore(connection: Connection): TelemetryStore {
  const { database, read, write, enter, transact } = connection;
  const keys = prepareKeys(database);
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database);
  const tellOta = prepareOtaTeller(database);
  const sightings = prepareSightings(database);
  const insert = database.prepare<[string, number, number, number | null, string | null, string]>(
    `INSERT INTO telemetry (device_id, at, received_at, seq, content_hash, body)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const readAfter = database.prepare<[string, number, number], StoredTelemetryRecord>(
    `SELECT position, at, received_at AS receivedAt, seq, body
     FROM telemetry WHERE device_id = ? AND position > ? ORDER BY position LIMIT ?`,
  );

  const readLatest = database.prepare<[string, number, number], StoredTelemetryRecord>(
    `SELECT position, at, received_at AS receivedAt, seq, body FROM telemetry
     WHERE device_id = ? AND at >= ? AND received_at >= ?
     ORDER BY at DESC, position DESC LIMIT 1`,
  );

  const storeRecords = ({ deviceId, receivedAt, records }: AppendInput): AppendVerdict[] =>
    records.map(({ at, seq, contentHash, body }) => {
      const { changes } = insert.run(deviceId, at, receivedAt, seq, contentHash, body);
      return changes === 0 ? "duplicate" : "stored";
    });

  const appendOne = (input: AppendInput): AppendOutcome => {
    const { deviceId, receivedAt, once } = input;
    if (!sightings.isKnown(deviceId)) return { kind: "unknown_device" };
    const earlier = once && keys.answerEarlier(deviceId, receivedAt, once);
    if (earlier) return earlier;
    const verdicts = storeRecords(input);
    if (once) keys.remember(deviceId, once, verdicts);
    sightings.record(input);
    for (const news of input.otaStatuses ?? []) tellOta(deviceId, news);
    return { kind: "appended", verdicts };
  };

  const appendTogether = coalesce({
    commit: (inputs: readonly AppendInput[]) => transact(() => inputs.map(appendOne)),
    weigh: ({ records }) => 1 + records.length,
    ...appendBounds,
    // All that the sockets hold by now goes into one commit, whose fsync blocks the event loop.
    defer: setImmediate,
  });

  return {
    append: (input) => enter(() => appendTogether(input)),

    count: ({ atMost, ...range }) => read(() => records.count(range, atMost)),
    samples: ({ order, after, limit, ...range }) =>
      read(() =>
        order === "oldest_first"
          ? records.oldestFirst(range, after, limit)
          : records.newestFirst(range, after, limit),
      ),
    aggregate: createAggregation(connection),
    rollUp: createRollup(connection),
    lastPosition: () => read(() => records.lastPosition()),
    pruneRollUps: ({ before, limit }) => write(() => rollups.prune(before, limit)),
    prune: ({ receivedBefore, limit }) => write(() => records.prune(receivedBefore, limit)),

    latest: (devices) =>
      read(() => devices.map(({ deviceId, from }) => readLatest.get(deviceId, from, from) ?? null)),

    read: ({ deviceId, after, limit }) => read(() => readAfter.all(deviceId, after, limit)),
  };
}

function prepareSightings(database: Database) {
  const find = database.prepare<[string]>("SELECT 1 FROM devices WHERE device_id = ?");
  const seen = database.prepare<[{ deviceId: string; now: number }]>(
    `UPDATE devices SET last_seen_at = max(ifnull(last_seen_at, @now), @now)
     WHERE device_id = @deviceId`,
  );
  const sent = database.prepare<[{ deviceId: string; now: number }]>(
    `UPDATE devices SET last_seen_at = max(ifnull(last_seen_at, @now), @now),
       last_telemetry_at = max(ifnull(last_telemetry_at, @now), @now)
     WHERE device_id = @deviceId`,
  );
  return {
    isKnown: (deviceId: string): boolean => find.get(deviceId) !== undefined,
    record({ deviceId, receivedAt: now, records }: AppendInput): void {
      (records.length > 0 ? sent : seen).run({ deviceId, now });
    },
  };
}

interface KeyRow {
  readonly fingerprint: string;
  readonly verdicts: string;
  readonly memo: string;
}

function prepareKeys(database: Database) {
  // A few at a time: more than come in, yet never a pause that requests would feel.
  const dropExpired = database.prepare<[number]>(
    `DELETE FROM telemetry_keys WHERE rowid IN
       (SELECT rowid FROM telemetry_keys WHERE expires_at < ? ORDER BY expires_at LIMIT 16)`,
  );
  const find = database.prepare<[string, string, number], KeyRow>(
    `SELECT fingerprint, verdicts, memo FROM telemetry_keys
     WHERE device_id = ? AND key = ? AND expires_at >= ?`,
  );
  const replace = database.prepare<[string, string, string, number, string, string]>(
    `INSERT OR REPLACE INTO telemetry_keys
       (device_id, key, fingerprint, expires_at, verdicts, memo) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    answerEarlier(deviceId: string, now: number, once: AppendOnce): AppendOutcome | undefined {
      dropExpired.run(now);
      const used = find.get(deviceId, once.key, now);
      if (used === undefined) return undefined;
      if (used.fingerprint !== once.fingerprint) return { kind: "key_reused" };
      const verdicts = JSON.parse(used.verdicts) as AppendVerdict[];
      return { kind: "repeated", verdicts, memo: used.memo };
    },

    remember(deviceId: string, once: AppendOnce, verdicts: readonly AppendVerdict[]): void {
      const { key, fingerprint, expiresAt, memo } = once;
      replace.run(deviceId, key, fingerprint, expiresAt, JSON.stringify(verdicts), memo);
    },
  };
}
