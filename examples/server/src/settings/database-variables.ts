import { z } from "zod";

const wrong =
  "must be a URL such as postgres://user:password@host:5432/name. Correct it, or unset it for SQLite.";

const isPostgresUrl = (text: string): boolean =>
  URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);

/** Where the database is, when it is not a file of this machine. */
export const databaseShape = {
  DATABASE_URL: z.string(wrong).refine(isPostgresUrl, wrong).optional().meta({
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
