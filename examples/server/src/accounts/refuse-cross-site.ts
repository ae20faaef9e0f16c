import type { RequestHandler } from "express";

/** Rejects changes that a page of another site makes through the user's browser (§0). */
export const refuseCrossSite: RequestHandler = (request, response, next) => {
  const site = request.headers["sec-fetch-site"];
  const foreign = site !== undefined && site !== "same-origin";
  if (foreign && request.method !== "GET") response.status(403).json({ code: "cross_site" });
  else next();
};
