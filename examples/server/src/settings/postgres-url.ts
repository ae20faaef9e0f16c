/** Says what a URL must be. It follows the name of the setting. */
export const invalidUrl =
  "must be a URL such as postgres://user:password@host:5432/name, with one host: for a primary with standbys, the address of a proxy that leads to the primary.";

export function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^postgres(ql)?:$/.test(protocol) && !hostname.includes(",");
}

const local = /^(localhost|127(\.\d+){3}|\[::1\]|)$/;
/** Passwords that installers and tutorials set, and that attackers try first. */
const wellKnownPasswords =
  /^(postgres|password|passw0rd|admin|root|secret|changeme|change-me|example|test|1234\d*|gateway|device-gateway)$/i;

/** Returns whether the password of a database on another machine is well known. A local database may use any password. */
export function hasWellKnownPassword(text: string): boolean {
  if (!isPostgresUrl(text)) return false;
  const { hostname, username, password } = new URL(text);
  if (local.test(hostname) || password === "") return false;
  return wellKnownPasswords.test(decodeURIComponent(password)) || password === username;
}

/** Says what to do about a well-known password. It follows the name of the setting. */
export const wellKnownPassword =
  "has a well-known password. Give the role a new one from openssl rand -base64 24: ALTER ROLE … PASSWORD '…'.";
