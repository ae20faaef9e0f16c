import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgresServer } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser of the server that this run tests with. */
    postgresUrl: string;
  }
}

let server: PostgresServer | undefined;

/** One server for the whole run: `TEST_DATABASE_URL`, or one that is started for it. */
export async function setup(project: TestProject): Promise<void> {
  let url = process.env.TEST_DATABASE_URL;
  if (!url) {
    server = await startPostgresServer();
    url = server.url;
  }
  project.provide("postgresUrl", url);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
