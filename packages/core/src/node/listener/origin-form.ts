const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Returns a request target as path and query, without the scheme and host of a target that is a whole URL. A server must
 * accept such targets (RFC 9112, section 3.2.2).
 *
 * @example
 * toOriginForm("http://gateway.example.com/readyz?a=1"); // "/readyz?a=1"
 */
export function toOriginForm(target: string): string {
  const [prefix] = schemeAndAuthority.exec(target) ?? [];
  if (prefix === undefined) return target;
  const rest = target.slice(prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
