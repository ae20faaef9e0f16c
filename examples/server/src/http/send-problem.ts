import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { requestIdOf } from "./name-request.js";

export interface Problem {
  readonly status: number;
  /** The stable name of the error. */
  readonly code: string;
  /** What went wrong and what to do next. */
  readonly detail: string;
}

/** Sends a problem document (RFC 9457) like the API's, for a route outside the API. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, detail }: Problem,
): void {
  const requestId = requestIdOf(request);
  const fields = { title: STATUS_CODES[status], status, detail, code, error: detail, requestId };
  const body = JSON.stringify({ type: "about:blank", ...fields, message: detail });
  response.writeHead(status, {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
