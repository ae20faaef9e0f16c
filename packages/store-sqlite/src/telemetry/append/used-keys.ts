import {
  type AppendOnce,
  type AppendOutcome,
  type AppendVerdict,
  packVerdicts,
  unpackVerdicts,
} from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";

interface KeyRow {
  readonly fingerprint: string;
  readonly verdicts: string;
  readonly memo: string;
}

/** Prepares the store of idempotency keys (§4). */
export function prepareUsedKeys(database: Database) {
  // Deletes more keys per request than arrive, but too few to delay a request.
  const dropExpired = database.prepare<[number]>(
    `DELETE FROM telemetry_keys WHERE rowid IN
       (SELECT rowid FROM telemetry_keys WHERE expires_at < ? ORDER BY expires_at LIMIT 16)`,
  );
  const find = database.prepare<[number, string, number], KeyRow>(
    `SELECT fingerprint, verdicts, memo FROM telemetry_keys
     WHERE device = ? AND key = ? AND expires_at >= ?`,
  );
  const replace = database.prepare<[number, string, string, number, string, string]>(
    `INSERT OR REPLACE INTO telemetry_keys
       (device, key, fingerprint, expires_at, verdicts, memo) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    answerEarlier(device: number, now: number, once: AppendOnce): AppendOutcome | undefined {
      dropExpired.run(now);
      const used = find.get(device, once.key, now);
      if (used === undefined) return undefined;
      if (used.fingerprint !== once.fingerprint) return { kind: "key_reused" };
      const verdicts = unpackVerdicts(used.verdicts);
      return { kind: "repeated", verdicts, memo: used.memo };
    },

    remember(device: number, once: AppendOnce, verdicts: readonly AppendVerdict[]): void {
      const { key, fingerprint, expiresAt, memo } = once;
      replace.run(device, key, fingerprint, expiresAt, packVerdicts(verdicts), memo);
    },
  };
}
