import { ok } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { MetricsAnswer } from "../../contract/index.js";
import type { metricRoutes } from "../../contract/metric.js";
import { changeMetrics } from "../../metrics/change-metrics.js";
import { readDeviceMetrics, readHardwareMetrics } from "../../metrics/read-metrics.js";
import type { HandlersOf } from "../call.js";
import { toAccepts } from "../etag.js";

const toAnswer = (body: MetricsAnswer) => ({
  status: 200 as const,
  body,
  headers: { etag: `"${body.metricsVersion}"` },
});

/** Creates the handlers of the routes about how metrics are shown. */
export const createMetricHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof metricRoutes> => ({
  readDeviceMetrics: async ({ caller, params: { deviceId } }) =>
    (await readDeviceMetrics(context, caller, deviceId)).map((metrics) => ({
      status: 200,
      body: { metrics },
    })),
  readHardwareMetrics: async ({ query: { targetHardware } }) =>
    ok(toAnswer(await readHardwareMetrics(context, targetHardware))),
  changeHardwareMetrics: async ({ caller, query, body, headers, origin, deadline }) => {
    const accepts = toAccepts(headers["if-match"]);
    const { targetHardware } = query;
    const { check: checkDeadline } = deadline;
    const change = {
      targetHardware,
      patch: body,
      accepts,
      operator: caller,
      checkDeadline,
      origin,
    };
    return (await changeMetrics(context, change)).map(toAnswer);
  },
});
