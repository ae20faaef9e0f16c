import {
  type AppendInput,
  type AppendOutcome,
  type AppendVerdict,
  hourMs,
  packVerdicts,
  unpackVerdicts,
} from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";

interface KeyRow {
  readonly device: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly verdicts: string;
  readonly memo: string;
}

// Deletes more keys per request than arrive, but too few to delay a request.
const dropExpired = statement<
  { from: number; now: number; limit: number },
  Pick<KeyRow, "expiresAt">
>(
  `DELETE FROM device_gateway.telemetry_keys WHERE (device, key) IN (
     SELECT device, key FROM device_gateway.telemetry_keys
     WHERE expires_at >= @from AND expires_at < @now
     ORDER BY expires_at LIMIT @limit FOR UPDATE SKIP LOCKED)
   RETURNING expires_at AS "expiresAt"`,
);
const find = statement<{ devices: readonly number[]; keys: readonly string[] }, KeyRow>(
  `SELECT device, key, fingerprint, expires_at AS "expiresAt", verdicts, memo
   FROM unnest(@devices::integer[], @keys::text[]) AS w (device, key)
   JOIN device_gateway.telemetry_keys USING (device, key)`,
);
const replace = statement<
  {
    devices: readonly number[];
    keys: readonly string[];
    fingerprints: readonly string[];
    ends: readonly number[];
    verdicts: readonly string[];
    memos: readonly string[];
  },
  object
>(
  `INSERT INTO device_gateway.telemetry_keys
     (device, key, fingerprint, expires_at, verdicts, memo)
   SELECT * FROM unnest(@devices::integer[], @keys::text[], @fingerprints::text[], @ends::bigint[],
     @verdicts::text[], @memos::text[])
   ON CONFLICT (device, key) DO UPDATE SET fingerprint = excluded.fingerprint,
     expires_at = excluded.expires_at, verdicts = excluded.verdicts, memo = excluded.memo`,
);

type KeyedInput = Pick<AppendInput, "once" | "receivedAt"> & { readonly device: number };

/** The idempotency keys of a batch (§4). */
export interface UsedKeys {
  /** Returns the earlier outcome of the request, from the database or this batch. */
  answerEarlier(input: KeyedInput): AppendOutcome | undefined;
  remember(input: KeyedInput, verdicts: readonly AppendVerdict[]): void;
  /** Stores the new keys, within the transaction. */
  write(session: Session): Promise<void>;
}

/** Looks keys up. The devices' activity rows must be locked. */
export type LookUpKeys = (session: Session, inputs: readonly KeyedInput[]) => Promise<UsedKeys>;

/**
 * Creates the deletion of expired keys. It remembers how far it came: the index keeps the entries of deleted keys until
 * the next vacuum, and each search would pass over all of them. Each hour, it begins again with the oldest key, because a
 * key may have been locked, or its deletion undone.
 */
function createExpiredKeys() {
  let from = 0;
  let begunAt = Number.POSITIVE_INFINITY;
  return async function drop(session: Session, now: number, limit: number): Promise<void> {
    if (now < begunAt || now >= begunAt + hourMs) [from, begunAt] = [0, now];
    const dropped = await dropExpired(session, { from, now, limit });
    const reached = dropped.length < limit ? [now] : dropped.map(({ expiresAt }) => expiresAt);
    from = Math.max(from, ...reached);
  };
}

export function createKeyLookUp(): LookUpKeys {
  const dropExpiredKeys = createExpiredKeys();
  return (session, inputs) => lookUp(session, inputs, dropExpiredKeys);
}

async function lookUp(
  session: Session,
  inputs: readonly KeyedInput[],
  dropExpiredKeys: ReturnType<typeof createExpiredKeys>,
): Promise<UsedKeys> {
  const keyed = inputs.flatMap(({ device, once, receivedAt }) =>
    once ? { device, key: once.key, receivedAt } : [],
  );
  const rows =
    keyed.length > 0
      ? await find(session, {
          devices: keyed.map(({ device }) => device),
          keys: keyed.map(({ key }) => key),
        })
      : [];
  const nameOf = (device: number, key: string) => `${device} ${key}`;
  const known = new Map(rows.map((row) => [nameOf(row.device, row.key), row]));
  const added = new Map<string, KeyRow>();

  return {
    answerEarlier({ device, once, receivedAt }) {
      if (!once) return undefined;
      const used = known.get(nameOf(device, once.key));
      if (used === undefined || used.expiresAt < receivedAt) return undefined;
      if (used.fingerprint !== once.fingerprint) return { kind: "key_reused" };
      const verdicts = unpackVerdicts(used.verdicts);
      return { kind: "repeated", verdicts, memo: used.memo };
    },
    remember({ device, once }, verdicts) {
      if (!once) return;
      const row = { device, ...once, verdicts: packVerdicts(verdicts) };
      known.set(nameOf(device, once.key), row);
      added.set(nameOf(device, once.key), row);
    },
    async write(writing) {
      if (added.size === 0) return;
      const written = [...added.values()];
      const now = Math.max(...keyed.map(({ receivedAt }) => receivedAt));
      await dropExpiredKeys(writing, now, 16 * written.length);
      await replace(writing, {
        devices: written.map(({ device }) => device),
        keys: written.map(({ key }) => key),
        fingerprints: written.map(({ fingerprint }) => fingerprint),
        ends: written.map(({ expiresAt }) => expiresAt),
        verdicts: written.map(({ verdicts }) => verdicts),
        memos: written.map(({ memo }) => memo),
      });
    },
  };
}
