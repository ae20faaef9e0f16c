import { err, ok, type Result } from "neverthrow";
import type { Clock } from "../ports/clock.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { Failure } from "../shared/failure.js";

/** A device may repeat a refused request this often before the time that the response named. */
const repeats = 4;
/** Devices that are remembered. */
const inMemory = 10_000;

interface Refusals {
  readonly count: number;
  /** The last request that had begun when the last counted refusal was noted. */
  readonly lastBegun: number;
  readonly since: number;
  readonly until: number;
  readonly failure: Failure<"too_many_requests">;
}

/**
 * Remembers the devices that repeat requests which the metrics bucket refuses, without waiting for the time in
 * `Retry-After`. What a request draws from that bucket is known only after its body is parsed, so each repetition would
 * cost as much as one that is stored.
 */
export interface ImpatientDevices {
  /**
   * Begins a request. Returns its number, or the failure of the last request if the device has repeated it too often
   * and must still wait.
   */
  begin(deviceId: string): Result<number, Failure<"too_many_requests">>;
  /** Call it with the number and the result of each request. Requests that were under way together count once. */
  note(deviceId: string, number: number, result: Result<unknown, Failure>): void;
}

const isOfMetrics = (failure: Failure): failure is Failure<"too_many_requests"> =>
  failure.code === "too_many_requests" && failure.bucket?.name === "metrics";

export function createImpatientDevices(clock: Clock): ImpatientDevices {
  const refused = createBoundedCache<Refusals>(inMemory);
  let lastBegun = 0;

  /** Returns the refusals after which the device must still wait. After the clock was set back, there are none. */
  function find(deviceId: string, now: number): Refusals | undefined {
    const known = refused.get(deviceId);
    return known !== undefined && now >= known.since && now < known.until ? known : undefined;
  }

  return {
    begin(deviceId) {
      const now = clock.now();
      const known = find(deviceId, now);
      if (known === undefined || known.count <= repeats) return ok(++lastBegun);
      const retryAfterSeconds = Math.ceil((known.until - now) / 1_000);
      return err({ ...known.failure, retryAfterSeconds });
    },
    note(deviceId, number, result) {
      if (result.isOk() || !isOfMetrics(result.error)) return;
      const now = clock.now();
      const known = find(deviceId, now);
      const isCounted = known !== undefined && number <= known.lastBegun;
      const counted = isCounted ? known : { count: (known?.count ?? 0) + 1, lastBegun };
      const nextAt = now + (result.error.retryAfterSeconds ?? 1) * 1_000;
      refused.set(deviceId, {
        count: counted.count,
        lastBegun: counted.lastBegun,
        since: now,
        until: Math.max(known?.until ?? 0, nextAt),
        failure: result.error,
      });
    },
  };
}
