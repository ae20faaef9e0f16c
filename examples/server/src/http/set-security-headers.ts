import type { RequestHandler } from "express";

/** For responses that are not the page: browsers must not run, frame or sniff them. */
const headers = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Sets the default security headers of every response outside the API. Later handlers may replace them. */
export const setSecurityHeaders: RequestHandler = (_request, response, next) => {
  response.set(headers);
  next();
};
