import type { RouteError, Routes } from "@device-gateway/core/contract";
import { err, ok, type Result, type ResultAsync } from "neverthrow";
import type { ClientError } from "../client-error.js";
import { defaultRetry, isPassing, type Random, type Sleep, waitBefore } from "../retry.js";
import { systemRandom, systemSleep } from "../system.js";
import { readEvents } from "./read-events.js";
import type { UserClient } from "./user-client.js";

export interface FollowOptions {
  /** Position of the last record that is known: goes on after it. Default: what comes from now on. */
  readonly after?: string;
  /** Ends the following, also while the device is quiet. Default: only leaving the loop does. */
  readonly signal?: AbortSignal;
  readonly random?: Random;
  readonly sleep?: Sleep;
}

/** A record as it came, and where to go on after it. */
export interface LiveRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export type FollowError = ClientError<RouteError<Routes["followTelemetry"]>>;

/** Waits for a stream; null when the signal comes first. What comes after it is let go. */
async function untilStopped(
  opening: ResultAsync<Response, FollowError>,
  signal: AbortSignal | undefined,
): Promise<Result<Response, FollowError> | null> {
  let stop = () => {};
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
  signal?.addEventListener("abort", stop);
  const opened = await Promise.race([opening, stopped]);
  signal?.removeEventListener("abort", stop);
  const letGo = ({ body }: Response) => void body?.cancel().catch(() => {});
  if (opened === null) void opening.match(letGo, () => {});
  return opened;
}

/**
 * Follows what a device sends. A stream that ends, breaks, or says nothing for 45 s is taken up
 * again where it was, so that no record is missing or comes twice; an error that will not pass is
 * the last item.
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
    const opened = await untilStopped(opening, signal);
    if (opened === null) return;
    if (opened.isErr() && !isPassing(opened.error)) {
      yield err(opened.error);
      return;
    }
    if (opened.isOk() && opened.value.body !== null) {
      try {
        for await (const { id = "", data } of readEvents(opened.value.body, signal)) {
          if (signal?.aborted) return;
          attempt = 0;
          position = id;
          if (data === null) continue;
          yield ok({ position, record: JSON.parse(data) as LiveRecord["record"] });
        }
      } catch {
        // The connection broke: taken up again below.
      }
    }
    if (signal?.aborted) return;
    const broken = opened.isErr() ? opened.error : { code: "network" as const, message: "" };
    const waitMs = waitBefore(attempt, broken, { retry: defaultRetry, random });
    await sleep(waitMs ?? defaultRetry.maxMs, signal);
  }
}
