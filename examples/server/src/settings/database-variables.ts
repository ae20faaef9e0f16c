import { z } from "zod";

const invalidUrl =
  "must be a URL such as postgres://user:password@host:5432/name, with one host: for a primary with standbys, the address of a proxy that leads to the primary.";

function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^postgres(ql)?:$/.test(protocol) && !hostname.includes(",");
}

const local = /^(localhost|127(\.\d+){3}|\[::1\]|)$/;
/** Passwords that installers and tutorials set, and that attackers try first. */
const wellKnownPasswords =
  /^(postgres|password|passw0rd|admin|root|secret|changeme|change-me|example|test|1234\d*|gateway|device-gateway)$/i;

/** Returns whether the password of a database on another machine is well known. A local database may use any password. */
function hasWellKnownPassword(text: string): boolean {
  if (!isPostgresUrl(text)) return false;
  const { hostname, username, password } = new URL(text);
  if (local.test(hostname) || password === "") return false;
  return wellKnownPasswords.test(decodeURIComponent(password)) || password === username;
}

const databaseUrl = (without: string) => {
  const error = `${invalidUrl} Correct it or unset it for ${without}.`;
  return z
    .string(error)
    .refine(isPostgresUrl, { error, abort: true })
    .refine((text) => !hasWellKnownPassword(text), {
      error:
        "has a well-known password. Give the role a new one from openssl rand -base64 24: ALTER ROLE … PASSWORD '…'.",
    })
    .optional();
};

/** Settings of a Postgres database. */
export const databaseShape = {
  DATABASE_URL: databaseUrl("SQLite").meta({
    description:
      "Postgres database, which several servers can share if they have the same secrets.",
    form: "postgres://user:password@host:5432/name",
    unless: "SQLite in `DATA_DIR`",
    concealed: true,
  }),
  DATABASE_READ_URL: databaseUrl("reads from the primary alone").meta({
    description:
      "Streaming replica of the database. It answers history, exports and the counts of releases while it is recent enough.",
    form: "postgres://user:password@host:5432/name",
    unless: "none",
    concealed: true,
  }),
  DATABASE_READ_LAG_SECONDS: z.int().min(1).max(3_600).default(10).meta({
    unit: "seconds",
    description: "How far the replica may be behind. Beyond this, the database itself answers.",
  }),
  DATABASE_POOL_SIZE: z.int().min(1).max(1_000).default(10).meta({
    unit: "connections",
    description: "Maximum connections to Postgres. Accounts open up to 4 more.",
  }),
  DATABASE_SYNCHRONOUS_STANDBY: z.boolean().default(false).meta({
    description:
      "Declares that a synchronous standby takes over if Postgres fails. The server does not start if a failover could lose acknowledged data.",
  }),
} as const;
