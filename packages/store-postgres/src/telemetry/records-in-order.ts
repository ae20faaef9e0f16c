import {
  dayMs,
  nextTurn,
  type RecordPlace,
  type StoredTelemetryRecord,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { findNumbers } from "../device/device-numbers.js";
import { mayHaveMore } from "./cut-page.js";
import { lastPosition, newestPosition } from "./positions.js";
import { betweenPositions, type PositionRange, recordsAt, toRecords } from "./record-rows.js";
import { listPartitions } from "./retention/telemetry-partitions.js";
import type { RecordPage, ShapeRows } from "./shapes/shape-rows.js";

/** Up to this many positions, a search among the records of all devices takes a few milliseconds. */
const nearby = 10_000;
/** Records of the device whose places one statement searches. */
const searched = 4_096;

/** The part of a device's records that is searched, up to `limit` of them. */
interface Search extends PositionRange {
  readonly device: number;
  readonly limit: number;
}

interface FoundPlace extends RecordPlace {
  readonly isWanted: boolean;
  readonly isLast: boolean;
}

/** A page of records in order of arrival. */
interface ArrivalPage {
  readonly records: readonly StoredTelemetryRecord[];
  /** If the page is empty, the position after which to search next. Null at the end. */
  readonly next: number | null;
}

// Reads only the index by time, which has no order of positions. Returns the first of the wanted places by position,
// and the last of all that were searched if there may be more.
const searchPlaces = statement<Search & { from: number; place: number }, FoundPlace>(
  `SELECT at, position, "isWanted", "isLast" FROM (
     SELECT at, position, position > @after AND position <= @to AS "isWanted",
       row_number() OVER (ORDER BY at, position) = ${searched} AS "isLast",
       count(*) FILTER (WHERE position > @after AND position <= @to)
         OVER (ORDER BY position) AS rank
     FROM (
       SELECT at, position FROM device_gateway.telemetry
       WHERE device = @device AND at >= @from AND (at, position) > (@from, @place)
       ORDER BY at, position LIMIT ${searched}
     ) AS entries
   ) AS found WHERE "isLast" OR ("isWanted" AND rank <= @limit)`,
);

// One look into the index of each partition. The scalar subquery keeps the planner from joining all records.
const findFirstDay = statement<{ days: readonly number[]; after: number }, { day: number | null }>(
  `SELECT min(day) AS day FROM unnest(@days::bigint[]) AS day WHERE (
     SELECT true FROM device_gateway.telemetry
     WHERE at >= day * ${dayMs} AND at < (day + 1) * ${dayMs} AND position > @after
     ORDER BY position LIMIT 1)`,
);

/** Returns the first day that has a record of any device after a position, or null if there is none. */
async function firstDayAfter(session: Session, after: number): Promise<number | null> {
  const days = (await listPartitions(session)).map(({ day }) => day);
  const [found] = await findFirstDay(session, { days, after });
  return found?.day ?? null;
}

/** Creates the function that reads a device's records in order of arrival. */
export function createReadInOrder(
  { runSteps, readStep }: Pick<Connection, "runSteps" | "readStep">,
  shapes: ShapeRows,
): TelemetryStore["read"] {
  /** Searches the next positions of all devices. Returns undefined if the device is unknown. */
  async function readNear(session: Session, deviceId: string, after: number, limit: number) {
    const device = (await findNumbers(session, [deviceId])).get(deviceId);
    const end = await newestPosition(session);
    if (device === undefined || end <= after) return undefined;
    const to = after + nearby;
    const page: RecordPage = await shapes.readRecords(session, () =>
      betweenPositions(session, { device, after, to, limit }),
    );
    return { device, page, isAll: end <= to };
  }

  /**
   * Returns the places of the first records after a position, however far away they are, by position. Skips the days
   * whose records all arrived before: usually all but the last one.
   */
  async function findPlaces({ device, after, to, limit }: Search): Promise<readonly RecordPlace[]> {
    const firstDay = await readStep((session) => firstDayAfter(session, after));
    if (firstDay === null) return [];
    let found: readonly RecordPlace[] = [];
    let last: RecordPlace = { at: firstDay * dayMs, position: 0 };
    for (;;) {
      // Those after the last found one are not wanted any more.
      const end = found.length < limit ? to : (found.at(-1)?.position ?? to);
      const search = { device, after, to: end, limit, from: last.at, place: last.position };
      const places = await readStep((session) => searchPlaces(session, search));
      found = [...found, ...places.filter(({ isWanted }) => isWanted)]
        .sort((a, b) => a.position - b.position)
        .slice(0, limit);
      const lastSearched = places.find(({ isLast }) => isLast);
      if (lastSearched === undefined) return found;
      last = lastSearched;
      await nextTurn();
    }
  }

  /** Searches the records of the device. A later one cannot have a position up to `to`. */
  async function readFar(search: Search) {
    const places = await findPlaces(search);
    const page: RecordPage = await readStep((session) =>
      shapes.readRecords(session, () => recordsAt(session, search.device, places)),
    );
    return { page, reached: places.at(-1)?.position ?? search.to };
  }

  async function readPage(deviceId: string, after: number, limit: number): Promise<ArrivalPage> {
    const near = await readStep((session) => readNear(session, deviceId, after, limit));
    if (near === undefined) return { records: [], next: null };
    const { device, page, isAll } = near;
    const toPage = (read: RecordPage, reached: number | null): ArrivalPage => {
      return { records: toRecords(read), next: read.all.at(-1)?.position ?? reached };
    };
    if (isAll || mayHaveMore(page.all, limit)) return toPage(page, null);
    const to = await readStep(lastPosition);
    // Commits in progress may have the next positions.
    if (to <= after) return toPage(page, null);
    const far = await readFar({ device, after, to, limit });
    return far.page.all.length > 0 || page.all.length === 0
      ? toPage(far.page, far.reached)
      : toPage(page, null);
  }

  return ({ deviceId, after, limit }) =>
    runSteps(async () => {
      for (let place = after; ; ) {
        const { records, next } = await readPage(deviceId, place, limit);
        if (records.length > 0 || next === null) return records;
        place = next;
        await nextTurn();
      }
    });
}
