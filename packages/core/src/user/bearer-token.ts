/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/** The token of an Authorization header, if it has one. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return bearer.exec(authorization ?? "")?.[1];
}
