import { isAcknowledged, type ReadResult } from "../../read-answer.js";
import { isFromGateway } from "../../retry.js";

/**
 * Statuses after which the same report may be accepted later. 404 and 405 are about the address: the route has no such
 * errors of its own, so a proxy changed the path, or another server answered.
 */
const passing: readonly number[] = [401, 404, 405, 408, 429];

/**
 * Judges the response to a report (§6). A response that is not from the API, such as that of a captive portal, neither
 * acknowledges nor refuses a report.
 */
export function judgeReport(answer: ReadResult): "delivered" | "refused" | "undelivered" {
  if (answer.kind === "value") return isAcknowledged(answer.value) ? "delivered" : "undelivered";
  const { status = 0 } = answer.error;
  const isRefusal = status >= 400 && status < 500 && !passing.includes(status);
  return isRefusal && isFromGateway(answer.error) ? "refused" : "undelivered";
}
