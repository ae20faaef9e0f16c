import type { TestProject } from "vitest/node";
import { startPostgresServer } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser of the server that this run tests with. */
    postgresUrl: string;
  }
}

/** One server for the whole run: `TEST_DATABASE_URL`, or one that is started for it. */
export default async function setUpPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    project.provide("postgresUrl", given);
    return async () => {};
  }
  const server = await startPostgresServer();
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
