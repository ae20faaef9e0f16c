import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { requestIdOf } from "./name-request.js";

export interface ProblemFacts {
  readonly status: number;
  /** The stable name of the error. */
  readonly code: string;
  /** What went wrong and what to do next. */
  readonly detail: string;
}

/** Sends a problem document (RFC 9457), shaped as the API's are, for a route outside of the API. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, detail }: ProblemFacts,
): void {
  const requestId = requestIdOf(request);
  const facts = { title: STATUS_CODES[status], status, detail, code, error: detail, requestId };
  const body = JSON.stringify({ type: "about:blank", ...facts, message: detail });
  response.writeHead(status, {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
