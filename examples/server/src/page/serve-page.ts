import type { RequestHandler } from "express";
import sirv from "sirv";
import { hardenAnswer } from "../harden-answer.js";

/** Nothing but what comes from here: no script, style or call of anybody else's. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  // A claim code may stand in the address.
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/**
 * Serves the built dashboard: hashed files for a year, the page itself fresh each time, for every
 * path that looks like one of its own.
 */
export function servePage(folder: string): RequestHandler {
  const serve = sirv(folder, {
    single: true,
    gzip: true,
    brotli: true,
    etag: true,
    setHeaders(response, path) {
      const hashed = path.startsWith("/assets/");
      const cache = hashed ? "public, max-age=31536000, immutable" : "no-cache";
      response.setHeader("cache-control", cache);
    },
  });
  return (request, response, next) => {
    // Of a 304 as well, which sirv does not ask about: a browser takes its headers for the page's.
    response.set(headers);
    serve(request, response, () => void hardenAnswer(request, response, next));
  };
}
