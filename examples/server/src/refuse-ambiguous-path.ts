import type { IncomingMessage, ServerResponse } from "node:http";
import { isAmbiguousPath } from "@device-gateway/core/node";
import { sendProblem } from "./send-problem.js";

const problem = {
  status: 400,
  code: "invalid_request",
  detail:
    "The path has a dot segment, an encoded slash or backslash, a backslash or a NUL. Send the path without it.",
};

/**
 * Answers 400 to a request whose path Express, the accounts and the page could each read differently. Returns whether
 * it has answered.
 */
export function refuseAmbiguousPath(request: IncomingMessage, response: ServerResponse): boolean {
  if (!isAmbiguousPath(request.url ?? "")) return false;
  sendProblem(request, response, problem);
  return true;
}
