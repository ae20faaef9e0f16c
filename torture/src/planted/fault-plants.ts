import type { JsonBody } from "@device-gateway/core";
import type { Plants } from "../attack.js";

/* What is lost, miscounted, undeclared or told: planted like the others, for R3, R4, R8 and S8. */

const isBatch = (body: JsonBody): body is { kind: "value"; value: unknown[] } =>
  body.kind === "value" && Array.isArray(body.value);

/** Takes nothing of a batch in which one record is none. */
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

/** Leaves a sample out of whole hours. */
export const rollUpShortOfOne: Plants = {
  store: (store) => ({
    ...store,
    telemetry: {
      ...store.telemetry,
      async aggregate(input) {
        const buckets = await store.telemetry.aggregate(input);
        const isRolledUp = input.intervalMs % 3_600_000 === 0;
        return buckets.map((bucket) =>
          isRolledUp && bucket.count > 1 ? { ...bucket, count: bucket.count - 1 } : bucket,
        );
      },
    },
  }),
};

/** Answers with a status that the route does not declare. */
export const undeclaredStatus: Plants = {
  handle: (handle) => async (request) => {
    const answer = await handle(request);
    const isGone = answer.status === 404 && request.path.endsWith("/claim");
    return isGone ? { ...answer, status: 410 } : answer;
  },
};

/** Tells the log what a request was refused with. */
export const secretInLog: Plants = {
  handle: (handle, _, logger) => async (request) => {
    const answer = await handle(request);
    if (answer.status === 403) {
      logger.warn({ authorization: request.header("authorization") }, "Refused");
    }
    return answer;
  },
};
