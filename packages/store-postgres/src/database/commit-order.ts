/** Sequences whose ids readers follow, and the tag of their advisory locks. */
const tags = { transition_ids: 0x4447, telemetry_positions: 0x4448 } as const;
export type OrderedSequence = keyof typeof tags;

/** Classes of locks with two keys, which are never taken for the ones above. */
export const lockClasses = {
  migration: 0x4447,
  deviceId: 0x4448,
  budget: 0x4449,
  partition: 0x444a,
  shapes: 0x444b,
} as const;

/** Ids in a lock's key; 2^48 of them last 89 years at 100,000 a second. */
const idBits = 48;

const lastOf = (sequence: OrderedSequence): string =>
  `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM device_gateway.${sequence}`;

const keyOf = (sequence: OrderedSequence): string => `(${tags[sequence]}::bigint << ${idBits})`;

/**
 * What a transaction runs before it takes ids from a sequence: it tells, in a shared lock that goes
 * with the transaction, above which id its own will be. Nobody waits for anybody.
 */
export const markOf = (sequence: OrderedSequence): string =>
  `SELECT pg_advisory_xact_lock_shared(${keyOf(sequence)} | id) FROM (${lastOf(sequence)}) AS newest`;

/**
 * Reads the newest id that was given out, and as `settled` one up to which every transaction that
 * took an id is over: a statement that begins later sees all of them. The newest is read first, so that
 * a lock that is taken after the look at locks is for ids above it.
 */
export const endsOf = (sequence: OrderedSequence): string =>
  `WITH newest AS MATERIALIZED (${lastOf(sequence)})
   SELECT newest.id AS newest, least(newest.id, (
     SELECT min((classid::bigint << 32 | objid::bigint) & ((1::bigint << ${idBits}) - 1))
     FROM pg_locks
     WHERE locktype = 'advisory' AND objsubid = 1 AND newest.id IS NOT NULL
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32 | objid::bigint) >> ${idBits} = ${tags[sequence]}
   )) AS settled FROM newest`;
