import type { IncomingMessage, ServerResponse } from "node:http";
import { isAmbiguousPath } from "@device-gateway/core/node";
import { sendProblem } from "./send-problem.js";

const problem = {
  status: 400,
  code: "invalid_request",
  detail:
    "The path contains a dot segment, an encoded slash or backslash, a backslash or a NUL. Send the path without it.",
};

/**
 * Responds with 400 if Express, the accounts and the page could read the request's path differently. Returns whether it
 * responded.
 */
export function refuseAmbiguousPath(request: IncomingMessage, response: ServerResponse): boolean {
  if (!isAmbiguousPath(request.url ?? "")) return false;
  sendProblem(request, response, problem);
  return true;
}
