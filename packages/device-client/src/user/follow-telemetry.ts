import type { RouteError, Routes } from "@device-gateway/core/contract";
import { err, ok, type Result } from "neverthrow";
import type { ClientError } from "../client-error.js";
import { defaultRetry, isPassing, type Random, type Sleep, waitBefore } from "../retry.js";
import { systemRandom, systemSleep } from "../system.js";
import { readEvents } from "./read-events.js";
import type { UserClient } from "./user-client.js";

export interface FollowOptions {
  /** Position of the last record that is known: goes on after it. Default: what comes from now on. */
  readonly after?: string;
  readonly random?: Random;
  readonly sleep?: Sleep;
}

/** A record as it came, and where to go on after it. */
export interface LiveRecord {
  readonly position: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export type FollowError = ClientError<RouteError<Routes["followTelemetry"]>>;

/**
 * Follows what a device sends. A stream that ends or breaks is taken up again where it was, so that
 * no record is missing or comes twice; an error that will not pass is the last item.
 */
export async function* followTelemetry(
  client: Pick<UserClient, "followTelemetry">,
  deviceId: string,
  { after, random = systemRandom, sleep = systemSleep }: FollowOptions = {},
): AsyncGenerator<Result<LiveRecord, FollowError>> {
  let position = after;
  for (let attempt = 0; ; attempt++) {
    const headers = { "last-event-id": position };
    const opened = await client.followTelemetry({ params: { deviceId }, headers });
    if (opened.isErr() && !isPassing(opened.error)) {
      yield err(opened.error);
      return;
    }
    if (opened.isOk() && opened.value.body !== null) {
      try {
        for await (const { id = "", data } of readEvents(opened.value.body)) {
          attempt = 0;
          position = id;
          if (data === null) continue;
          yield ok({ position, record: JSON.parse(data) as LiveRecord["record"] });
        }
      } catch {
        // The connection broke: taken up again below.
      }
    }
    const broken = opened.isErr() ? opened.error : { code: "network" as const, message: "" };
    await sleep(waitBefore(attempt, broken, { retry: defaultRetry, random }) ?? defaultRetry.maxMs);
  }
}
