import {
  type AlertRuleRow,
  type CellPort,
  holdsItsVersion,
  type Release,
  type RolloutTally,
  releasesInFeed,
  type StoredSecurityEvent,
  toAlertRuleRow,
} from "@device-gateway/core/store";
import { removeAlerts } from "./alert/alert-rules.js";
import { endsOf } from "./database/changes/commit-order.js";
import { lineage, onPrimary } from "./database/changes/lineage.js";
import type { Connection } from "./database/connection/connection.js";
import { statement } from "./database/statement.js";
import { readKeyCheck } from "./device/key-check.js";
import { mark, writeChanges } from "./device/transition-writer.js";
import { copyRelease } from "./ota/release-row.js";

interface Events {
  readonly kinds: readonly string[];
  readonly times: readonly number[];
  readonly devices: readonly string[];
  readonly actors: readonly string[];
  readonly requests: readonly (string | null)[];
  readonly addresses: readonly (string | null)[];
  readonly details: readonly string[];
}

type EventRow = Omit<StoredSecurityEvent, "details"> & { readonly details: string };

const readEnds = statement<object, { newest: number; settled: number; lineage: string | null }>(
  `SELECT ends.*, ${lineage} AS lineage FROM (${endsOf("transition_ids")}) AS ends`,
);
const listEvents = statement<{ after: number; settled: number; limit: number }, EventRow>(
  `SELECT id, kind, at, device_id AS "deviceId", actor, request_id AS "requestId",
     client_address AS "clientAddress", details
   FROM device_gateway.security_events WHERE id > @after AND id <= @settled ORDER BY id LIMIT @limit`,
);
const listImports = statement<object, { cell: number; upTo: number }>(
  `SELECT cell, up_to AS "upTo" FROM device_gateway.imported_events`,
);
const beginImports = statement<{ cell: number }, object>(
  `INSERT INTO device_gateway.imported_events (cell, up_to) VALUES (@cell::integer, 0)
   ON CONFLICT (cell) DO NOTHING`,
);
/** Locks the row, so that processes that import from one cell wait for each other. */
const moveImports = statement<{ cell: number; after: number; next: number }, object>(
  `UPDATE device_gateway.imported_events SET up_to = @next::bigint
   WHERE cell = @cell::integer AND up_to = @after::bigint RETURNING cell`,
);
const insertEvents = statement<Events, object>(
  `WITH ${mark}
   INSERT INTO device_gateway.security_events
     (id, kind, at, device_id, actor, request_id, client_address, details)
   SELECT nextval('device_gateway.transition_ids'), kind, at, device_id, actor, request, address, details
   FROM (
     SELECT * FROM unnest(@kinds::text[], @times::bigint[], @devices::text[], @actors::text[],
       @requests::text[], @addresses::text[], @details::text[]) WITH ORDINALITY
       AS event (kind, at, device_id, actor, request, address, details, place) ORDER BY place
   ) AS events, mark`,
);
const putRelease = statement<Release, object>(copyRelease);
/**
 * A home that lost a release may have published its version again under another id. The lost one then gives the version
 * up, as an abandoned draft does.
 */
const freeVersion = statement<Release, object>(
  `UPDATE device_gateway.releases SET status = 'withdrawn', activated_at = NULL
   WHERE target_hardware = @targetHardware AND version = @version AND id <> @id
     AND (status <> 'withdrawn' OR activated_at IS NOT NULL)
     AND NOT EXISTS (SELECT FROM device_gateway.releases AS own
       WHERE own.id = @id AND own.revision >= @revision)`,
);
const beginRound = statement<{ releaseId: number; round: number }, object>(
  `INSERT INTO device_gateway.rollout_tallies (release_id, round, succeeded, failed)
   VALUES (@releaseId, @round, 0, 0)
   ON CONFLICT (release_id) DO UPDATE SET round = excluded.round, succeeded = 0, failed = 0
   WHERE rollout_tallies.round < excluded.round`,
);
const feedRelease = statement<{ at: number }, object>(
  `WITH ${mark}, changed AS (SELECT '${releasesInFeed}'::text AS device_id)
   ${writeChanges("changed", "@at::bigint")}`,
);
const putRule = statement<AlertRuleRow, object>(
  `INSERT INTO device_gateway.alert_rules (id, owner_id, device_id, revision, content)
   VALUES (@id, @owner_id, @device_id, @revision, @content)
   ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, content = excluded.content
   WHERE alert_rules.revision < excluded.revision`,
);
const lockCopy = statement<{ id: string }, object>(
  "SELECT FROM device_gateway.alert_rules WHERE id = @id AND device_id IS NULL FOR UPDATE",
);
const removeCopy = statement<{ id: string }, object>(
  "DELETE FROM device_gateway.alert_rules WHERE id = @id",
);
const listTallies = statement<{ ids: readonly number[] }, RolloutTally & { releaseId: number }>(
  `SELECT release_id AS "releaseId", round, succeeded, failed
   FROM device_gateway.rollout_tallies WHERE release_id = ANY (@ids::bigint[])`,
);

/** Lets the store be used as the home or a cell of a larger store. */
export function createCellPort({ read, change, write }: Connection): CellPort {
  return {
    keyCheck: () => read(readKeyCheck),

    imports: () => read((session) => listImports(session, {})),

    eventsAfter: ({ after, limit }) =>
      read(async (session) => {
        const [ends = { newest: 0, settled: 0, lineage: null }] = await readEnds(session, {});
        const { newest, settled } = ends;
        if (after > newest) {
          // A standby that is behind has lost nothing.
          onPrimary(ends.lineage);
          return { events: [], next: settled };
        }
        const rows = await listEvents(session, { after, settled, limit });
        const events = rows.map((row) => ({
          ...row,
          details: JSON.parse(row.details) as StoredSecurityEvent["details"],
        }));
        return { events, next: events.at(-1)?.id ?? after };
      }),

    importEvents: ({ cell, after, next, events }) =>
      write(async (session) => {
        await beginImports(session, { cell });
        if ((await moveImports(session, { cell, after, next })).length === 0) return false;
        await insertEvents(session, {
          kinds: events.map(({ kind }) => kind),
          times: events.map(({ at }) => at),
          devices: events.map(({ deviceId }) => deviceId),
          actors: events.map(({ actor }) => actor),
          requests: events.map(({ requestId }) => requestId),
          addresses: events.map(({ clientAddress }) => clientAddress),
          details: events.map(({ details }) => JSON.stringify(details)),
        });
        return true;
      }),

    copyRelease: ({ release, round, at }) =>
      write(async (session) => {
        if (holdsItsVersion(release)) await freeVersion(session, release);
        const copied = await putRelease(session, release);
        if (round > 0) await beginRound(session, { releaseId: release.id, round });
        if (copied.length > 0) await feedRelease(session, { at });
      }),

    copyRule: (rule) =>
      change(async (session) => {
        await putRule(session, toAlertRuleRow(rule));
      }),

    dropRule: ({ id, limit }) =>
      write(async (session) => {
        if ((await lockCopy(session, { id })).length === 0) return { more: false };
        if ((await removeAlerts(session, { id, limit })).length === limit) return { more: true };
        await removeCopy(session, { id });
        return { more: false };
      }),

    tallies: (ids) =>
      read(async (session) =>
        (await listTallies(session, { ids })).map(({ releaseId, ...tally }) => ({
          releaseId,
          tally,
        })),
      ),
  };
}
