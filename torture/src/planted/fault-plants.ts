import type { JsonBody } from "@device-gateway/core";
import type { Plants } from "../attack.js";

/* Planted bugs that lose data, miscount, return undeclared statuses or leak secrets. */

const isBatch = (body: JsonBody): body is { kind: "value"; value: unknown[] } =>
  body.kind === "value" && Array.isArray(body.value);

/** Stores nothing of a batch that contains an invalid record. */
export const batchLostOnBadRecord: Plants = {
  handle: (handle) => (request) =>
    handle({
      ...request,
      async json(limit) {
        const body = await request.json(limit);
        const isBad = isBatch(body) && body.value.some((record) => typeof record !== "object");
        return isBad ? { kind: "value", value: [5] } : body;
      },
    }),
};

/** Counts one sample too few in buckets of whole hours. */
export const rollUpShortOfOne: Plants = {
  store: (store) => ({
    ...store,
    telemetry: {
      ...store.telemetry,
      async aggregate(input, turn) {
        const buckets = await store.telemetry.aggregate(input, turn);
        const isRolledUp = input.intervalMs % 3_600_000 === 0;
        return buckets.map((bucket) =>
          isRolledUp && bucket.count > 1 ? { ...bucket, count: bucket.count - 1 } : bucket,
        );
      },
    },
  }),
};

/** Returns a status that the route does not declare. */
export const undeclaredStatus: Plants = {
  handle: (handle) => async (request) => {
    const answer = await handle(request);
    const isGone = answer.status === 404 && request.path.endsWith("/claim");
    return isGone ? { ...answer, status: 410 } : answer;
  },
};

/** Logs the Authorization header of a refused request. */
export const secretInLog: Plants = {
  handle: (handle, _, logger) => async (request) => {
    const answer = await handle(request);
    if (answer.status === 403) {
      logger.warn({ authorization: request.header("authorization") }, "Refused");
    }
    return answer;
  },
};
