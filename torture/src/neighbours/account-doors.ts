import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { createAuth } from "../../../examples/server/src/accounts/create-auth.js";
import { createSiteRoutes } from "../../../examples/server/src/page/site-routes.js";
import { accountBody } from "./account-body.js";
import type { Door } from "./doors.js";
import { sequence } from "./message.js";

/** What better-auth says of an endpoint, as far as it matters here. */
interface Endpoint {
  readonly path?: string;
  readonly options?: {
    readonly method?: string | readonly string[];
    readonly body?: unknown;
    readonly metadata?: { readonly SERVER_ONLY?: boolean };
  };
}

const anybody = { kind: "accounts", open: true, roles: ["nobody", "customer"], query: {} } as const;
const accountBodyBytes = 16_384;

function doorsOfEndpoint([name, { path, options }]: [string, Endpoint]): Door[] {
  // Without a path it is a function of the library, and nothing that a request reaches.
  if (path === undefined || options?.metadata?.SERVER_ONLY) return [];
  return [options?.method ?? "GET"].flat().map((method) => ({
    ...anybody,
    name: `accounts: ${name}${method === "GET" ? "" : ` by ${method}`}`,
    method,
    path: `/api/auth${path}`,
    largestBody: method === "GET" ? 0 : accountBodyBytes,
    samples: () => [
      {
        params: { id: "github", token: `token-${sequence}` },
        query: method === "GET" ? { token: `token-${sequence}`, callbackURL: "/" } : undefined,
        body: method === "GET" ? undefined : accountBody(options?.body),
      },
    ],
  }));
}

/** What the page asks for beside the API, and the page itself. */
function siteDoors(): Door[] {
  const site = createSiteRoutes({ url: "", findAccount: async () => null, demo: undefined });
  const paths = site.stack.flatMap(({ route }) =>
    route === undefined ? [] : [String(route.path)],
  );
  return [...paths, "/", "/nothing-here"].map((path) => ({
    ...anybody,
    name: `site: ${path}`,
    method: "GET",
    path,
    largestBody: 0,
    samples: () => [{}],
  }));
}

/** One door for each endpoint that better-auth lists for the bundled server, and for each of the page's. */
export async function listAccountDoors(): Promise<readonly Door[]> {
  const handle = new Sqlite(":memory:");
  try {
    const auth = await createAuth({
      database: { handle, createTables: (create) => create(), close: async () => {} },
      pepper: "pepper",
      url: "http://127.0.0.1",
      urlIsPublic: false,
      sendMail: async () => {},
      demo: undefined,
      logger: silentLogger,
    });
    const endpoints = Object.entries(auth.api) as unknown as [string, Endpoint][];
    return [...endpoints.flatMap(doorsOfEndpoint), ...siteDoors()];
  } finally {
    handle.close();
  }
}
