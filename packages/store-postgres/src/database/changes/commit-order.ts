import { sequenceTags as tags } from "../lock-numbers.js";
import { toSchema } from "../schema-name.js";

export type OrderedSequence = keyof typeof tags;

/** Bits of an id in a lock's key. 2^48 ids last 89 years at 100,000 a second. */
const idBits = 48;

const lastOf = (sequence: OrderedSequence): string =>
  `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM device_gateway.${sequence}`;

const keyOf = (sequence: OrderedSequence): string => `(${tags[sequence]}::bigint << ${idBits})`;

/**
 * The statement that a transaction runs before it takes ids from a sequence. It takes a shared
 * advisory lock whose key is the newest id: the transaction's own ids will be higher. The lock ends
 * with the transaction, and nobody waits for it.
 */
export const markOf = (sequence: OrderedSequence): string =>
  `SELECT pg_advisory_xact_lock_shared(${keyOf(sequence)} | id)::text AS mark FROM (${lastOf(sequence)}) AS newest`;

/**
 * Reads the newest assigned id, and `settled`: every transaction that took an id up to there has
 * ended, so a later statement sees all of them. The newest id is read first; a lock that is taken
 * after that is for higher ids.
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

/** Like `endsOf`, in several schemas of the database. Returns a row for each with its `place` in the list. */
export const endsOfEach = (sequence: OrderedSequence, schemas: readonly string[]): string => {
  const newest = schemas.map((schema, place) =>
    toSchema(schema)(
      `SELECT ${place} AS place, ${tags[sequence]}::bigint AS tag, here.id FROM (${lastOf(sequence)}) AS here`,
    ),
  );
  return `WITH newest AS MATERIALIZED (${newest.join(" UNION ALL ")}),
   marks AS MATERIALIZED (
     SELECT classid::bigint << 32 | objid::bigint AS key FROM pg_locks
     WHERE locktype = 'advisory' AND objsubid = 1 AND (SELECT count(id) FROM newest) > 0
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
   )
   SELECT place, id AS newest, least(id, (
     SELECT min(key & ((1::bigint << ${idBits}) - 1)) FROM marks WHERE key >> ${idBits} = tag
   )) AS settled FROM newest`;
};
