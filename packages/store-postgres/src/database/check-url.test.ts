import { expect, it } from "vitest";
import { migratePostgres } from "../migrations/migrate.js";
import { openPostgresStore } from "../open-postgres-store.js";

it.each(["mysql://gateway:hunter2@x/gateway", "hunter2@db.example/gateway", "", undefined])(
  "rejects an invalid Postgres URL without quoting it: %s",
  async (url) => {
    for (const open of [openPostgresStore, migratePostgres]) {
      const opened = open({ url: url as string });
      await expect(opened).rejects.toThrow(TypeError);
      await expect(opened).rejects.toThrow(/^url: give .* such as "postgres:\/\//);
      await expect(opened).rejects.not.toThrow("hunter2");
    }
  },
);
