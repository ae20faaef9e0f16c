import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

const sane = /^[\w.:-]{1,128}$/;

/** Gives what is not the gateway's an id as well, in the answer and for the log: the caller's own, if it is sane. */
export const nameRequest: RequestHandler = (request, response, next) => {
  const sent = request.get("x-request-id") ?? "";
  const requestId = sane.test(sent) ? sent : randomUUID();
  request.headers["x-request-id"] = requestId;
  response.setHeader("x-request-id", requestId);
  next();
};
