import type { TestProject } from "vitest/node";
import { templateName } from "./migrated-database.js";
import { type PostgresServer, startPostgresServer } from "./postgres-server.js";
import { runOn } from "./temporary-database.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection URL of a superuser of the test server. */
    postgresUrl: string;
  }
}

let server: PostgresServer | undefined;

/** Uses one server for the whole run: `TEST_DATABASE_URL`, or one that it starts. */
export async function setup(project: TestProject): Promise<void> {
  let url = process.env.TEST_DATABASE_URL;
  if (!url) {
    server = await startPostgresServer();
    url = server.url;
  }
  project.provide("postgresUrl", url);
}

export async function teardown(): Promise<void> {
  const configured = process.env.TEST_DATABASE_URL;
  if (configured) await runOn(configured, `DROP DATABASE IF EXISTS ${templateName}`);
  await server?.stop();
}
