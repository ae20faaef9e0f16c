import {
  createSampleReader,
  createSelector,
  type RecordPlace,
  readLeaves,
  type TelemetryReads,
} from "@device-gateway/core/store";
import { type Connection, callDeadline } from "../database/connection/connection.js";
import type { Session } from "../database/statement.js";
import { mayHaveMore } from "./cut-page.js";
import type { FindDevice } from "./device-rows.js";
import {
  countRows,
  newestFirst,
  oldestFirst,
  readPages,
  shapesOldestFirst,
  toRecords,
} from "./record-rows.js";
import { type ShapeRows, shapeOf } from "./shapes/shape-rows.js";
import { createAggregation } from "./telemetry-history.js";

/** Creates the reads of history and export. */
export function createTelemetryReads(
  { runSteps }: Pick<Connection, "runSteps">,
  findDevice: FindDevice,
  shapes: ShapeRows,
): TelemetryReads {
  /** Reads from a device. Returns `nothing` if the device is unknown. */
  const readOf = <Answer>(
    deviceId: string,
    nothing: Answer,
    work: (session: Session, device: number) => Promise<Answer>,
  ): Promise<Answer> =>
    runSteps(async () => {
      const deadline = callDeadline();
      const found = await findDevice(deviceId, deadline);
      if (found === undefined) return nothing;
      return found.readStep((session) => work(session, found.device), deadline);
    });

  return {
    count: ({ atMost, ...range }) =>
      readOf(range.deviceId, 0, (session, device) =>
        countRows(session, { ...range, device }, atMost),
      ),
    samples: ({ order, after, limit, ...range }) =>
      readOf(range.deviceId, [], async (session, device) => {
        const readRows = order === "oldest_first" ? oldestFirst : newestFirst;
        const readPage = (place: RecordPlace | null) =>
          readRows(session, { ...range, device }, place, limit);
        return toRecords(await readPages(session, shapes, after, readPage));
      }),
    leaves: ({ after, limit, namesOnly, ...range }) =>
      readOf(range.deviceId, [], async (session, device) => {
        const readRows = namesOnly ? shapesOldestFirst : oldestFirst;
        const page = await readPages(session, shapes, after, (place) =>
          readRows(session, { ...range, device }, place, limit),
        );
        const shapeOfRow = (shape: number) => shapeOf(page.shapes, shape);
        return page.rows.map((row) => readLeaves(row, shapeOfRow, namesOnly));
      }),
    metrics: ({ selection, before, limit, ...range }) =>
      readOf(range.deviceId, { samples: [], next: null }, async (session, device) => {
        const page = await shapes.readRecords(session, () =>
          newestFirst(session, { ...range, device }, before, limit + 1),
        );
        const shapeOfRow = (shape: number) => shapeOf(page.shapes, shape);
        const toSample = createSampleReader(shapeOfRow, createSelector(selection));
        const surplus = page.all[limit];
        const last = mayHaveMore(page.all, limit + 1) ? page.all.slice(0, limit).at(-1) : undefined;
        return {
          samples: page.rows.filter((row) => row !== surplus).map(toSample),
          next: last === undefined ? null : { at: last.at, position: last.position },
        };
      }),
    aggregate: createAggregation({ runSteps }, findDevice, shapes),
  };
}
