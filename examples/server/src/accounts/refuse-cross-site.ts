import { isSameOrigin } from "@device-gateway/core";
import type { RequestHandler, Response } from "express";

const refuse = (response: Response) => void response.status(403).json({ code: "cross_site" });

/** Rejects changes that a page of another site makes through the user's browser (§0). The accounts check Origin too. */
export const refuseCrossSite: RequestHandler = (request, response, next) => {
  const site = request.headers["sec-fetch-site"];
  const foreign = site !== undefined && site !== "same-origin";
  if (foreign && request.method !== "GET") refuse(response);
  else next();
};

/**
 * Creates a handler for routes that change something and are authenticated by a cookie. It rejects a request with a
 * cookie unless a page of this server sent it (§0).
 */
export const createSameOriginCheck =
  (publicUrl: string | undefined): RequestHandler =>
  (request, response, next) => {
    const header = (name: string) => request.get(name);
    if (request.headers.cookie === undefined || isSameOrigin({ header }, publicUrl)) next();
    else refuse(response);
  };
