/**
 * A segment that URL parsers drop or resolve, a slash that some of them decode, or a character that some of them
 * strip.
 */
const ambiguous = /(^|\/)(\.|%2e){1,2}(\/|$)|%2f|%5c|%00|[\\\0\t\n\r]/i;

/**
 * Returns whether two programs can read the path of a request target differently: it has a dot segment, an encoded
 * slash or backslash, a backslash or a NUL (RFC 3986, section 6.2.2). Answer such a request with 400 before any route
 * is matched: otherwise a check of one path may guard another. Other escapes, such as `%3a`, are not ambiguous.
 *
 * @example
 * isAmbiguousPath("/api/v1/../operator/devices"); // true
 * isAmbiguousPath("/api/v1/operator/devices/gw%3a1?path=/../"); // false
 */
export function isAmbiguousPath(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  return ambiguous.test(path);
}
