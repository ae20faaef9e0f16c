import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";

const sane = /^[\w.:-]{1,128}$/;

/** Returns the caller's own request id if it is well-formed, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && sane.test(sent) ? sent : randomUUID();
}

/** Gives each request outside of the gateway an id as well, in the response and for the log. */
export const nameRequest: RequestHandler = (request, response, next) => {
  const requestId = requestIdOf(request);
  request.headers["x-request-id"] = requestId;
  response.setHeader("x-request-id", requestId);
  next();
};
