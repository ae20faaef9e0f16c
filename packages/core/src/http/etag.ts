/** Creates a function that returns whether an If-Match header accepts a version. Without the header, it accepts all. */
export const toAccepts =
  (ifMatch: string | undefined) =>
  (version: string): boolean =>
    ifMatch === undefined || matchesEtag(ifMatch, `"${version}"`);

/**
 * Returns whether an If-Match or If-None-Match header contains this ETag, in a weak comparison. RFC 9110 (section 13.1.1)
 * asks for the strong one for If-Match. But proxies that compress responses, such as nginx, weaken their ETags, and their
 * clients could then never change anything. The gateway's own ETags are all strong, so a weak one stands for one version.
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header
    .split(",")
    .map((candidate) => candidate.trim().replace(/^W\//, ""))
    .some((candidate) => candidate === "*" || candidate === etag);
}
