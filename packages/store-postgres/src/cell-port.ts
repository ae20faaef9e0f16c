import {
  type AlertRuleRow,
  type CellPort,
  type Release,
  type RolloutTally,
  toAlertRuleRow,
} from "@device-gateway/core/store";
import { removeAlerts } from "./alert/alert-rules.js";
import { releasesInFeed } from "./database/change-feed.js";
import type { Connection } from "./database/connection.js";
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

const listImports = statement<object, { cell: number; upTo: number }>(
  `SELECT cell, up_to AS "upTo" FROM device_gateway.imported_events`,
);
const beginImports = statement<{ cell: number }, object>(
  `INSERT INTO device_gateway.imported_events (cell, up_to) VALUES (@cell::integer, 0)
   ON CONFLICT (cell) DO NOTHING`,
);
/** Locks the row, so that processes that import from one cell wait for each other. */
const moveImports = statement<{ cell: number; after: number; upTo: number }, object>(
  `UPDATE device_gateway.imported_events SET up_to = @upTo::bigint
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

/** What makes the store usable as the home or a cell of a larger one. */
export function createCellPort({ read, change, write }: Connection): CellPort {
  return {
    keyCheck: () => read(readKeyCheck),

    imports: () => read((session) => listImports(session, {})),

    importEvents: ({ cell, after, events }) =>
      write(async (session) => {
        const upTo = events.at(-1)?.id;
        if (upTo === undefined) return;
        await beginImports(session, { cell });
        if ((await moveImports(session, { cell, after, upTo })).length === 0) return;
        await insertEvents(session, {
          kinds: events.map(({ kind }) => kind),
          times: events.map(({ at }) => at),
          devices: events.map(({ deviceId }) => deviceId),
          actors: events.map(({ actor }) => actor),
          requests: events.map(({ requestId }) => requestId),
          addresses: events.map(({ clientAddress }) => clientAddress),
          details: events.map(({ details }) => JSON.stringify(details)),
        });
      }),

    copyRelease: ({ release, round, at }) =>
      write(async (session) => {
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
