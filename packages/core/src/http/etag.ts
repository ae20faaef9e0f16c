/** Creates a function that returns whether an If-Match header accepts a version. Without the header, it accepts all. */
export const toAccepts =
  (ifMatch: string | undefined) =>
  (version: string): boolean =>
    ifMatch === undefined || matchesEtag(ifMatch, `"${version}"`);

/**
 * Returns whether an If-Match or If-None-Match header contains this ETag. The comparison is weak for both (RFC 9110,
 * section 13.1).
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header
    .split(",")
    .map((candidate) => candidate.trim().replace(/^W\//, ""))
    .some((candidate) => candidate === "*" || candidate === etag);
}
