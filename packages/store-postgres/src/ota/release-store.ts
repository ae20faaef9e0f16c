import {
  type NewRelease,
  type Release,
  type ReleaseStore,
  releasesInFeed,
  type SecurityEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeChanges,
  writeEvents,
} from "../device/transition-writer.js";
import { insertRelease, releaseColumns } from "./release-row.js";

interface Page {
  readonly targetHardware: string | null;
  readonly rolloutChannel: string | null;
  readonly statuses: readonly string[];
  readonly before: number;
  readonly limit: number;
}

const releases = "device_gateway.releases";
const insert = statement<NewRelease, { id: number }>(insertRelease);
const findHolder = statement<{ targetHardware: string; version: string }, Release>(
  `SELECT ${releaseColumns} FROM ${releases}
   WHERE target_hardware = @targetHardware AND version = @version
     AND (status <> 'withdrawn' OR activated_at IS NOT NULL)`,
);
const find = statement<{ id: number }, Release>(
  `SELECT ${releaseColumns} FROM ${releases} WHERE id = @id`,
);
const findLocked = statement<{ id: number }, Release>(
  `SELECT ${releaseColumns} FROM ${releases} WHERE id = @id FOR UPDATE`,
);
const list = statement<Page, Release>(
  `SELECT ${releaseColumns} FROM ${releases}
   WHERE id < @before AND status = ANY (@statuses::text[])
     AND (@targetHardware::text IS NULL OR target_hardware = @targetHardware)
     AND (@rolloutChannel::text IS NULL OR rollout_channel = @rolloutChannel)
   ORDER BY id DESC LIMIT @limit`,
);
const listActive = statement<object, Release>(
  `SELECT ${releaseColumns} FROM ${releases} WHERE status = 'active' ORDER BY id`,
);
const replace = statement<Release, object>(
  `UPDATE ${releases} SET revision = @revision, status = @status,
     rollout_percent = @rolloutPercent, rollout_channel = @rolloutChannel, has_image = @hasImage,
     halted_at = @haltedAt, activated_at = @activatedAt
   WHERE id = @id`,
);
const writeReleaseChange = statement<EventParameters & { deviceId: string }, object>(
  `WITH ${mark},
   changed AS (SELECT '${releasesInFeed}'::text AS device_id),
   subject AS (SELECT @deviceId::text AS device_id),
   fed AS (${writeChanges("changed", "@eventAt::bigint")}), logged AS (${writeEvents("subject")})
   SELECT`,
);

export function createReleaseStore({ read, write }: Connection): ReleaseStore {
  return {
    create: ({ release, event }) =>
      write(async (session) => {
        for (;;) {
          const [inserted] = await insert(session, release);
          if (inserted !== undefined) {
            await recordReleaseChange(session, inserted.id, event);
            return { kind: "created", release: { ...release, id: inserted.id, revision: 1 } };
          }
          const [holder] = await findHolder(session, release);
          // No release has the version any more, because a draft was just withdrawn: try again.
          if (holder !== undefined) return { kind: "exists", release: holder };
        }
      }),

    find: (id) => read(async (session) => (await find(session, { id }))[0] ?? null),
    list: (page) => read((session) => list(session, page)),
    offerable: () => read((session) => listActive(session, {})),

    change: ({ id, expectedRevision, changes, event }) =>
      write(async (session, join) => {
        const release = await lockRelease(session, id);
        if (release === null) return { kind: "unknown" };
        if (release.revision !== expectedRevision) return { kind: "conflict" };
        const changed = { ...release, ...changes, revision: expectedRevision + 1 };
        await replaceRelease(session, changed);
        await recordReleaseChange(session, id, event);
        await join({ ...event, details: { ...event.details, releaseId: id } });
        return { kind: "changed", release: changed };
      }),
  };
}

/**
 * Finds and locks a release until the transaction ends. Nobody else can change it or its tally
 * meanwhile.
 */
export async function lockRelease(session: Session, id: number): Promise<Release | null> {
  return (await findLocked(session, { id }))[0] ?? null;
}

export async function findRelease(session: Session, id: number): Promise<Release | null> {
  return (await find(session, { id }))[0] ?? null;
}

export async function replaceRelease(session: Session, release: Release): Promise<void> {
  await replace(session, release);
}

/**
 * Writes the change-feed entry and the security event of a changed release, in the same
 * transaction.
 */
export async function recordReleaseChange(
  session: Session,
  releaseId: number,
  event: SecurityEvent,
): Promise<void> {
  const parameters = toEventParameters({ ...event, details: { ...event.details, releaseId } });
  await writeReleaseChange(session, { ...parameters, deviceId: event.deviceId });
}
