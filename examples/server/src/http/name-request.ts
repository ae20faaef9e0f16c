import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";

const valid = /^[\w.:-]{1,128}$/;

/** Returns the caller's request id if it is valid, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && valid.test(sent) ? sent : randomUUID();
}

/** Gives each request outside the gateway an id, for the response and the log. */
export const nameRequest: RequestHandler = (request, response, next) => {
  const requestId = requestIdOf(request);
  request.headers["x-request-id"] = requestId;
  response.setHeader("x-request-id", requestId);
  next();
};
