import { extname } from "node:path";
import type { RequestHandler } from "express";
import { setSecurityHeaders } from "../http/set-security-headers.js";
import { readPageFiles } from "./page-files.js";

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
 * Returns whether a path could be a view of the page. All files are in `/assets` or in the root. The last part of a view's
 * path may look like a file, because the id of a device may contain dots.
 */
const isView = (path: string) =>
  !/^\/[^/]*\.\w+$/.test(path) && !/^\/(assets|\.well-known)(\/|$)/.test(path);

/**
 * Serves the built dashboard. Browsers cache hashed files for a year and revalidate the page each time. A GET of any path
 * that could be a view of the page returns the page.
 */
export function servePage(folder: string): RequestHandler {
  const files = readPageFiles(folder);
  return (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    const { path } = request;
    response.set(headers);
    const name = isView(path) && !files.has(path) ? "/index.html" : path;
    const file = files.get(name);
    if (file === undefined) return setSecurityHeaders(request, response, next);
    // Browsers accept all encodings alike and name gzip first, so the smallest one is chosen here.
    const encodings = [...file.bodies.keys()];
    const encoding = encodings.find((one) => request.acceptsEncodings(one)) ?? "identity";
    if (encoding !== "identity") response.set("content-encoding", encoding);
    const isHashed = name.startsWith("/assets/");
    const etag = `"${file.etag}-${encoding}"`;
    response.set({
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      etag,
      vary: "Accept-Encoding",
    });
    if (request.get("if-none-match") === etag) response.status(304).end();
    else response.type(extname(name)).send(file.bodies.get(encoding));
  };
}
