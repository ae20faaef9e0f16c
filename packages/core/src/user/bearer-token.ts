/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/**
 * Returns the bearer token of an Authorization header, or undefined if it has none.
 * @example
 * const token = bearerTokenOf(request.header("authorization"));
 */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return bearer.exec(authorization ?? "")?.[1];
}
