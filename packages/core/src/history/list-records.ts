import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import { badCursor, type PageQuery, parseCursor, toCursor } from "../shared/page.js";
import { toTimestamp } from "../shared/timestamp.js";
import { recordAheadMs } from "../telemetry/record-times.js";
import type { RecordPlace, StoredTelemetryRecord } from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { parseRange, type RangeQuery } from "./history-range.js";
import { openReads } from "./open-reads.js";

type RecordsQuery = Omit<RangeQuery, "hours"> & PageQuery;

interface RecordsPage {
  readonly records: {
    timestamp: string;
    receivedAt: string;
    record: Record<string, unknown>;
  }[];
  readonly nextCursor: string | null;
}

const toEntry = ({ at, receivedAt, value }: StoredTelemetryRecord) => ({
  timestamp: toTimestamp(at),
  receivedAt: toTimestamp(receivedAt),
  record: { ...value },
});

function parsePlace(place: string): Result<RecordPlace | null, Failure<"invalid_request">> {
  if (place === "") return ok(null);
  const [, at, position] = /^(\d{1,15}):(\d{1,15})$/.exec(place) ?? [];
  if (at === undefined) return err(badCursor);
  return ok({ at: Number(at), position: Number(position) });
}

/**
 * Returns a device's records, newest first, as far back as the user may see them (§7). `turn` is called before and after
 * the read.
 */
export async function listRecords(
  context: GatewayContext,
  user: User,
  deviceId: string,
  { limit, cursor, ...query }: RecordsQuery,
  turn: () => Promise<void>,
): Promise<
  Result<
    { page: RecordsPage; headers: Readonly<Record<string, string>> },
    Failure<"device_not_found" | "invalid_request">
  >
> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  // Without a range, the list includes records with a timestamp slightly in the future.
  const asked = parseRange(query, context.clock.now() + recordAheadMs, Number.POSITIVE_INFINITY);
  if (asked.isErr()) return err(asked.error);
  const start = parseCursor(cursor, "").andThen(parsePlace);
  if (start.isErr()) return err(start.error);
  const receivedFrom = visible.value.from;
  const from = Math.max(asked.value.from, receivedFrom);
  const range = {
    deviceId,
    from,
    to: asked.value.to,
    receivedFrom,
    order: "newest_first",
  } as const;
  const { telemetry, headers } = await openReads(context);
  await turn();
  const found = await telemetry.samples({ ...range, after: start.value, limit });
  // This turn charges the time of the read.
  await turn();
  const last = found.at(-1);
  // A store returns fewer records than the limit if they are large.
  const more =
    last === undefined ? [] : await telemetry.samples({ ...range, after: last, limit: 1 });
  const nextCursor =
    last === undefined || more.length === 0 ? null : toCursor(`${last.at}:${last.position}`);
  return ok({ page: { records: found.map(toEntry), nextCursor }, headers });
}
