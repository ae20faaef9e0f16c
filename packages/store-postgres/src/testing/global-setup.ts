import type { TestProject } from "vitest/node";
import { templateName } from "./migrated-database.js";
import { dropDatabase } from "./temporary-database.js";
import { startTestServer, type TestServer } from "./test-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection URL of a superuser of the test server, which is the coordinator if it is Citus. */
    postgresUrl: string;
  }
}

let server: TestServer | undefined;

/** Uses one server for the whole run: `TEST_DATABASE_URL`, or one that it starts. */
export async function setup(project: TestProject): Promise<void> {
  let url = process.env.TEST_DATABASE_URL;
  if (!url) {
    server = await startTestServer();
    url = server.url;
  }
  project.provide("postgresUrl", url);
}

export async function teardown(): Promise<void> {
  const configured = process.env.TEST_DATABASE_URL;
  if (configured) await dropDatabase(configured, templateName);
  await server?.stop();
}
