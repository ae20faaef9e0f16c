import { z } from "zod";
import { cellShape } from "./cell-variables.js";
import {
  hasWellKnownPassword,
  invalidUrl,
  isPostgresUrl,
  wellKnownPassword,
} from "./postgres-url.js";
import { isDecodableUrl, undecodableUrl } from "./url-escapes.js";

const databaseUrl = (without: string) => {
  const error = `${invalidUrl} Correct it or unset it for ${without}.`;
  return z
    .string(error)
    .refine(isPostgresUrl, { error, abort: true })
    .refine(isDecodableUrl, { error: undecodableUrl, abort: true })
    .refine((text) => !hasWellKnownPassword(text), { error: wellKnownPassword })
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
  ...cellShape,
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
    description: "Maximum connections to each Postgres database. Accounts open up to 4 more.",
  }),
  DATABASE_SYNCHRONOUS_STANDBY: z.boolean().default(false).meta({
    description:
      "Declares that a synchronous standby takes over if Postgres fails. The server does not start if a failover could lose acknowledged data.",
  }),
} as const;
