import type { RequestHandler } from "express";
import { readBody } from "./read-body.js";

const refuse = (status: number) => Object.assign(new Error("The body was refused."), { status });

/**
 * Parses a JSON body of at most `limit` bytes into `request.body`. Unlike `express.json`, it does not wait for the rest
 * of a body that is too large: the guard of the connection receives it slowly.
 */
export function readJson(limit: number): RequestHandler {
  return (request, _response, next) => {
    if (!request.is("application/json")) return next();
    if ((request.get("content-encoding") ?? "identity") !== "identity") return next(refuse(415));
    readBody(request, limit)
      .then((body) => {
        if (body === "too_large") return next(refuse(413));
        if (body === "broken_off") return next(refuse(400));
        try {
          request.body = JSON.parse(body.toString("utf8")) as unknown;
        } catch {
          return next(refuse(400));
        }
        next();
      })
      .catch(next);
  };
}
