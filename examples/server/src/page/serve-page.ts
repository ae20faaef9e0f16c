import type { RequestHandler } from "express";
import sirv from "sirv";
import { setSecurityHeaders } from "../http/set-security-headers.js";

/** Allows scripts, styles and requests of this origin only. */
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
  // The page's URL may contain a claim code.
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(self), geolocation=(), microphone=()",
};

/**
 * Serves the built dashboard. Browsers cache hashed files for a year and revalidate the page each time. A GET of any path
 * that could be a view of the page returns the page.
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
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    // Set here, because sirv does not call `setHeaders` for a 304, and browsers apply the headers of a 304 to the page.
    response.set(headers);
    serve(request, response, () => void setSecurityHeaders(request, response, next));
  };
}
