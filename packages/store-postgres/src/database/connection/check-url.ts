/** A comma in the host part, which ends at the path, or in the parameter `host`. A password may contain commas. */
const severalHosts =
  /^[^/]*\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?:[/?#]|$)|[?&]host=[^&#]*(?:,|%2c)/i;

/**
 * Checks that the URL is a Postgres URL with one host. The driver would treat any other text as a host name. Without a
 * URL, it would use environment variables.
 * @throws {TypeError} if it is not. The message does not contain the URL, which may contain a password.
 */
export function checkUrl(url: string): void {
  if (!/^postgres(ql)?:/.test(url)) {
    throw new TypeError(
      'url: give the URL of a Postgres database, such as "postgres://user:password@host:5432/name".',
    );
  }
  if (severalHosts.test(url)) {
    throw new TypeError(
      "url: give one host, because the driver connects to one. For a primary with standbys, give an address that always leads to the primary, such as that of HAProxy, of pgbouncer, or a virtual address.",
    );
  }
}
