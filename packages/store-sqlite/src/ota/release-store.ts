import {
  type NewRelease,
  type Release,
  type ReleaseStore,
  releasesInFeed,
  type SecurityEvent,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import { type Bits, toBits } from "../database/to-bits.js";
import { prepareEventWriter } from "../device/security-event-store.js";
import { insertRelease, type ReleaseRow, releaseColumns, toRelease } from "./release-row.js";

interface Page {
  readonly targetHardware: string | null;
  readonly rolloutChannel: string | null;
  readonly statuses: string;
  readonly before: number;
  readonly limit: number;
}

export function createReleaseStore({ database, read, write, join }: Connection): ReleaseStore {
  const { find, replace } = prepareReleases(database);
  const writeReleaseChange = prepareReleaseChangeWriter(database);
  const insert = database.prepare<[Bits<NewRelease>]>(insertRelease);
  const findHolder = database.prepare<[string, string], ReleaseRow>(
    `SELECT ${releaseColumns} FROM releases WHERE target_hardware = ? AND version = ?
     AND (status <> 'withdrawn' OR activated_at IS NOT NULL)`,
  );
  const list = database.prepare<[Page], ReleaseRow>(
    `SELECT ${releaseColumns} FROM releases
     WHERE id < @before AND status IN (SELECT value FROM json_each(@statuses))
       AND (@targetHardware IS NULL OR target_hardware = @targetHardware)
       AND (@rolloutChannel IS NULL OR rollout_channel = @rolloutChannel)
     ORDER BY id DESC LIMIT @limit`,
  );
  const listActive = database.prepare<[], ReleaseRow>(
    `SELECT ${releaseColumns} FROM releases WHERE status = 'active' ORDER BY id`,
  );

  return {
    create: ({ release, event }) =>
      write(() => {
        const holder = findHolder.get(release.targetHardware, release.version);
        if (holder !== undefined) return { kind: "exists", release: toRelease(holder) };
        const id = Number(insert.run(toBits(release)).lastInsertRowid);
        writeReleaseChange(id, event);
        return { kind: "created", release: { ...release, id, revision: 1 } };
      }),

    find: (id) => read(() => find(id)),

    list: ({ statuses, ...page }) =>
      read(() => list.all({ ...page, statuses: JSON.stringify(statuses) }).map(toRelease)),

    offerable: () => read(() => listActive.all().map(toRelease)),

    change: ({ id, expectedRevision, changes, event }) =>
      write(() => {
        const release = find(id);
        if (release === null) return { kind: "unknown" };
        if (release.revision !== expectedRevision) return { kind: "conflict" };
        const changed = { ...release, ...changes, revision: expectedRevision + 1 };
        replace(changed);
        writeReleaseChange(id, event);
        join({ ...event, details: { ...event.details, releaseId: id } });
        return { kind: "changed", release: changed };
      }),
  };
}

/** Prepares the statements that read and replace one release inside a transaction. */
export function prepareReleases(database: Database) {
  const find = database.prepare<[number], ReleaseRow>(
    `SELECT ${releaseColumns} FROM releases WHERE id = ?`,
  );
  const replace = database.prepare<[ReleaseRow]>(
    `UPDATE releases SET revision = @revision, status = @status, rollout_percent = @rolloutPercent,
       rollout_channel = @rolloutChannel, has_image = @hasImage, halted_at = @haltedAt,
       activated_at = @activatedAt
     WHERE id = @id`,
  );
  return {
    find: (id: number): Release | null => {
      const row = find.get(id);
      return row === undefined ? null : toRelease(row);
    },
    replace: (release: Release): void => void replace.run(toBits(release)),
  };
}

/**
 * Prepares the change-feed entry and the security event of a changed release. Run it in the same
 * transaction.
 */
export function prepareReleaseChangeWriter(
  database: Database,
): (releaseId: number, event: SecurityEvent) => void {
  const writeChange = prepareChangeWriter(database);
  const writeEvent = prepareEventWriter(database);
  return (releaseId, event) => {
    writeChange(releasesInFeed, event.at);
    writeEvent({ ...event, details: { ...event.details, releaseId } });
  };
}
