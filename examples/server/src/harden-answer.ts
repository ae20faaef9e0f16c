import type { RequestHandler } from "express";

/** For answers that are no page: nothing of them is to be run, shown in a frame or guessed at. */
const headers = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Sets what every answer beside the API has, unless it sets something else itself. */
export const hardenAnswer: RequestHandler = (_request, response, next) => {
  response.set(headers);
  next();
};
