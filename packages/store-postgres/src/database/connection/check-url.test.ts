import { expect, it } from "vitest";
import { migratePostgres } from "../../migrations/migrate.js";
import { openPostgresStore } from "../../open-postgres-store.js";
import { checkUrl } from "./check-url.js";

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

it.each([
  "postgres://gateway:hunter2@h1:5432,h2:5432/gateway",
  "postgresql://gateway:hun,ter2@h1,h2",
  "postgres://h1,h2:5433/gateway?target_session_attrs=read-write",
  "postgres://gateway:hunter2@/gateway?sslmode=require&host=h1,h2",
])("rejects a URL with several hosts, because only one would be used: %s", async (url) => {
  const opened = openPostgresStore({ url });
  await expect(opened).rejects.toThrow(/^url: give one host, .* HAProxy/);
  await expect(opened).rejects.not.toThrow(/hun/);
});

it.each([
  "postgres://gateway:hun,ter2@h1:5432/gateway",
  "postgres://gateway:hunter2@[::1]/gateway?options=-c%20search_path=a,b",
  "postgres:///gateway?host=/run/postgresql",
])("accepts a URL with one host: %s", (url) => checkUrl(url));
