import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { OperatorDevice } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import { nextTurn } from "../shared/next-turn.js";
import { type PageQuery, parseCursor, toCursor } from "../shared/page.js";
import { parseTimestamp } from "../shared/timestamp.js";
import { type DeviceFilter, matchesFilter, toTextMatch } from "./device-filter.js";
import { chooseSource, type DeviceSource } from "./device-source.js";
import { toOperatorDevice } from "./operator-device.js";

/** The most devices that one request reads. A search for few among many then takes several requests. */
const maxRead = 2_000;
/** Devices that are read in one turn of the event loop. */
const readAtOnce = 501;

type Flag = "true" | "false" | undefined;

export interface DeviceQuery extends PageQuery {
  /** `key:value` of an indexed key of the metadata. */
  readonly metadata?: string | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly owner?: string | undefined;
  readonly hardware?: string | undefined;
  readonly version?: string | undefined;
  readonly revoked?: Flag;
  readonly claimed?: Flag;
  /** ISO 8601 with a time zone, or milliseconds since the epoch. */
  readonly lastSeenBefore?: string | undefined;
}

type BadQuery = Failure<"invalid_request">;
interface DevicePage {
  readonly devices: OperatorDevice[];
  readonly nextCursor: string | null;
}

function toFilter(query: DeviceQuery): Result<DeviceFilter, BadQuery> {
  const { id, name, owner, hardware, version, revoked, claimed, lastSeenBefore } = query;
  const seenBefore =
    lastSeenBefore === undefined
      ? undefined
      : parseTimestamp(/^\d+$/.test(lastSeenBefore) ? Number(lastSeenBefore) : lastSeenBefore);
  if (lastSeenBefore !== undefined && seenBefore === undefined) {
    const message = "Send ISO 8601 with a time zone, or milliseconds since the epoch.";
    return err({
      code: "invalid_request",
      errors: [{ path: "lastSeenBefore", code: "invalid", message }],
    });
  }
  const match = (text: string | undefined) => (text === undefined ? undefined : toTextMatch(text));
  const given = Object.entries({
    name: match(name),
    ownerId: match(owner),
    targetHardware: match(hardware),
    firmwareVersion: match(version),
  }).filter(([, one]) => one !== undefined);
  return ok({
    ...(id !== undefined && { id: toTextMatch(id) }),
    texts: Object.fromEntries(given) as DeviceFilter["texts"],
    ...(revoked !== undefined && { revoked: revoked === "true" }),
    ...(claimed !== undefined && { claimed: claimed === "true" }),
    ...(seenBefore !== undefined && { lastSeenBefore: seenBefore }),
  });
}

/** Reads candidates until the page is full, the index ends, or the request has read enough. */
async function fillPage(
  source: DeviceSource,
  filter: DeviceFilter,
  limit: number,
  start: string,
): Promise<Result<DevicePage, BadQuery>> {
  const found: Device[] = [];
  let place = start;
  for (let read = 0; read < maxRead; ) {
    // Usually all candidates match.
    const asked = read === 0 ? Math.min(limit + 1, readAtOnce) : readAtOnce;
    const candidates = await source.read(place, asked);
    if (candidates.isErr()) return err(candidates.error);
    for (const device of candidates.value) {
      if (matchesFilter(filter, device)) {
        // One more than the page shows that there are more.
        if (found.length === limit) return ok(toDevicePage(found, place));
        found.push(device);
      }
      place = source.placeOf(device);
    }
    if (candidates.value.length < asked) return ok(toDevicePage(found, null));
    read += candidates.value.length;
    await nextTurn();
  }
  return ok(toDevicePage(found, place));
}

const toDevicePage = (found: readonly Device[], place: string | null): DevicePage => ({
  devices: found.map(toOperatorDevice),
  nextCursor: place === null ? null : toCursor(place),
});

/**
 * Lists devices for an operator (§8), all or those that meet every condition, in the order of the index that finds them. A
 * page of a search can have fewer devices than its limit, or none, and still have a next one.
 */
export async function listAllDevices(
  context: GatewayContext,
  query: DeviceQuery,
): Promise<Result<DevicePage, BadQuery>> {
  const { limit, cursor, metadata } = query;
  const after = parseCursor(cursor, "");
  if (after.isErr()) return err(after.error);
  const wanted = metadata === undefined ? ok(null) : context.metadata.parseFilter(metadata);
  if (wanted.isErr()) return err({ code: "invalid_request", errors: wanted.error });
  const filter = toFilter(query);
  if (filter.isErr()) return err(filter.error);
  return fillPage(
    chooseSource(context, filter.value, wanted.value),
    filter.value,
    limit,
    after.value,
  );
}
