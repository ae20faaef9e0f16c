import { openCitusServers } from "./citus-servers.js";
import { startPostgresServer } from "./postgres-server.js";

/** The server that tests create their databases on. */
export interface TestServer {
  /** Connection URL of a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Postgres, or a coordinator of Citus with two workers if `TEST_POSTGRES` is `citus`. */
export const startTestServer = (): Promise<TestServer> =>
  process.env.TEST_POSTGRES === "citus" ? openCitusServers() : startPostgresServer();
