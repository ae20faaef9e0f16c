import { hasFields, isProblem, parseJson } from "../../read-answer.js";

/** Statuses after which the same report may be accepted later. */
const passing: readonly number[] = [401, 408, 429];

/**
 * Judges the response to a report (§6). A response that is not from the API, such as that of a captive portal, neither
 * acknowledges nor refuses a report.
 */
export function judgeReport(status: number, text: string): "delivered" | "refused" | "undelivered" {
  const body = parseJson(text);
  if (status === 202 && hasFields("status:string", body)) return "delivered";
  const isRefusal = status >= 400 && status < 500 && !passing.includes(status);
  return isRefusal && isProblem(body) ? "refused" : "undelivered";
}
