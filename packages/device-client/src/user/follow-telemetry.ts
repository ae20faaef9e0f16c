import type { RouteError, Routes } from "@device-gateway/core/contract";
import { err, ok, type Result, type ResultAsync } from "neverthrow";
import type { ClientError } from "../client-error.js";
import { raceWithSignal } from "../race-with-signal.js";
import {
  chooseLoopDelay,
  chooseWait,
  defaultRetry,
  isTransient,
  type Random,
  type Sleep,
} from "../retry.js";
import { systemRandom, systemSleep } from "../system.js";
import { readEvents } from "./read-events.js";
import type { UserClient } from "./user-client.js";

/** Options of `followTelemetry`. */
export interface FollowOptions {
  /** Position of the last known record. Default: only records from now on. */
  readonly after?: string;
  /** Ends the loop, even while no record arrives. Default: only leaving the loop or a permanent error ends it. */
  readonly signal?: AbortSignal;
  readonly random?: Random;
  readonly sleep?: Sleep;
}

/** A record, and the position to resume after it. */
export interface LiveRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Why a live stream ended. */
export type FollowError = ClientError<RouteError<Routes["followTelemetry"]>>;

/** The end of a stream that was open for so long is no failure: the next delay is as short as the first one. */
const lastingMs = 60_000;

/** Waits for a stream. Returns null if the signal aborts first, and cancels a stream that opens later. */
async function awaitStream(
  opening: ResultAsync<Response, FollowError>,
  signal: AbortSignal | undefined,
): Promise<Result<Response, FollowError> | null> {
  const opened = await raceWithSignal(opening, signal);
  const cancel = ({ body }: Response) => void body?.cancel().catch(() => {});
  if (opened === null) void opening.match(cancel, () => {});
  return opened;
}

/**
 * Yields the telemetry of a device as it arrives (§7). If the stream ends, breaks or is silent for
 * 45 s, it resumes at the same position, so that no record is missing or repeated. A permanent error
 * is the last item.
 * @example
 * for await (const item of followTelemetry(client, "gw-1", { signal })) {
 *   if (item.isOk()) console.log(item.value.position, item.value.record);
 *   else console.error(item.error.code);
 * }
 */
export async function* followTelemetry(
  client: Pick<UserClient, "followTelemetry">,
  deviceId: string,
  { after, signal, random = systemRandom, sleep = systemSleep }: FollowOptions = {},
): AsyncGenerator<Result<LiveRecord, FollowError>> {
  let position = after;
  for (let attempt = 0; !signal?.aborted; attempt++) {
    const headers = { "last-event-id": position };
    const opening = client.followTelemetry({ params: { deviceId }, headers });
    const opened = await awaitStream(opening, signal);
    if (opened === null) return;
    if (opened.isErr() && !isTransient(opened.error)) {
      yield err(opened.error);
      return;
    }
    if (opened.isOk() && opened.value.body !== null) {
      const openedAt = Date.now();
      try {
        for await (const { id = "", data } of readEvents(opened.value.body, signal)) {
          if (signal?.aborted) return;
          // Parsed first, so that a damaged record is requested again.
          const record = data === null ? null : (JSON.parse(data) as LiveRecord["record"]);
          position = id;
          // Each stream begins with an event without a record, also one that ends at once.
          if (record === null) continue;
          attempt = 0;
          yield ok({ position, record });
        }
      } catch {
        // The connection broke, or a record was damaged. The next iteration resumes.
      }
      // The server ends a stream after an hour, also one without records.
      if (Date.now() - openedAt >= lastingMs) attempt = 0;
    }
    if (signal?.aborted) return;
    const broken = opened.isErr() ? opened.error : { code: "network" as const, message: "" };
    const waitMs = chooseWait(attempt, broken, { retry: defaultRetry, random });
    await sleep(waitMs ?? chooseLoopDelay(defaultRetry.maxMs, broken), signal);
  }
}
