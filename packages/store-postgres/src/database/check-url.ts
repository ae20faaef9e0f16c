/**
 * A URL of another kind would be looked for as a host, and without one the environment is asked.
 * @throws {TypeError} that does not show it: it may hold a password.
 */
export function checkUrl(url: string): void {
  if (/^postgres(ql)?:/.test(url)) return;
  throw new TypeError(
    'url: give the URL of a Postgres database, such as "postgres://user:password@host:5432/name".',
  );
}
