/**
 * Checks that the URL is a Postgres URL. The driver would take another URL for a host name, and
 * without one it would use environment variables.
 * @throws {TypeError} without the URL, which may contain a password.
 */
export function checkUrl(url: string): void {
  if (/^postgres(ql)?:/.test(url)) return;
  throw new TypeError(
    'url: give the URL of a Postgres database, such as "postgres://user:password@host:5432/name".',
  );
}
