import { z } from "zod";

const wrong =
  "must be a URL such as postgres://user:password@host:5432/name. Correct it, or unset it for SQLite.";

const isPostgresUrl = (text: string): boolean =>
  URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);

const local = /^(localhost|127(\.\d+){3}|\[::1\]|)$/;
/** What installers and tutorials set, and whoever looks for open databases tries first. */
const wellKnownPasswords =
  /^(postgres|password|passw0rd|admin|root|secret|changeme|change-me|example|test|1234\d*|gateway|device-gateway)$/i;

/** On this machine a database may trust whoever reaches it; over a network it may not. */
function hasDefaultPassword(text: string): boolean {
  if (!isPostgresUrl(text)) return false;
  const { hostname, username, password } = new URL(text);
  if (local.test(hostname) || password === "") return false;
  return wellKnownPasswords.test(decodeURIComponent(password)) || password === username;
}

/** Where the database is, when it is not a file of this machine. */
export const databaseShape = {
  DATABASE_URL: z
    .string(wrong)
    .refine(isPostgresUrl, { error: wrong, abort: true })
    .refine((text) => !hasDefaultPassword(text), {
      error:
        "has a password that everybody tries first. Give the role another: ALTER ROLE … PASSWORD '…', of openssl rand -base64 24.",
    })
    .optional()
    .meta({
      description: "Postgres database that any number of servers share, with the same secrets.",
      form: "postgres://user:password@host:5432/name",
      unless: "SQLite in `DATA_DIR`",
      concealed: true,
    }),
  DATABASE_POOL_SIZE: z.int().min(1).max(1_000).default(10).meta({
    unit: "connections",
    description: "Connections to Postgres at most; accounts open up to 4 more.",
  }),
} as const;
