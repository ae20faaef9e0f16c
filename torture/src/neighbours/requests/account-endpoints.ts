import { type Gateway, silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { createAuth } from "../../../../examples/server/src/accounts/create-auth.js";
import { servedPaths } from "../../../../examples/server/src/accounts/served-paths.js";
import { createUnsubscribeRoute } from "../../../../examples/server/src/alerts/unsubscribe-route.js";
import { createUnsubscribeTokens } from "../../../../examples/server/src/alerts/unsubscribe-tokens.js";
import { createFirstContactRoute } from "../../../../examples/server/src/page/first-contact.js";
import { createSiteRoutes } from "../../../../examples/server/src/page/site-routes.js";
import { accountBody } from "./account-body.js";
import type { Endpoint, SampleParts } from "./endpoints.js";
import { sequence } from "./message.js";

/** The parts of better-auth's description of an endpoint that are used here. */
interface AuthEndpoint {
  readonly path?: string;
  readonly options?: {
    readonly method?: string | readonly string[];
    readonly body?: unknown;
    readonly metadata?: { readonly SERVER_ONLY?: boolean };
  };
}

const common = {
  kind: "accounts",
  open: true,
  roles: ["nobody", "customer"],
  query: {},
  refusal: () => undefined,
} as const;
const accountBodyBytes = 16_384;
const served: ReadonlySet<string> = new Set(servedPaths);

function toEndpoints([name, { path, options }]: [string, AuthEndpoint]): Endpoint[] {
  // Without a path it is a library function that no request can call.
  if (path === undefined || options?.metadata?.SERVER_ONLY) return [];
  if (!served.has(path)) return [];
  return [options?.method ?? "GET"].flat().map((method) => ({
    ...common,
    name: `accounts: ${name}${method === "GET" ? "" : ` by ${method}`}`,
    method,
    path: `/api/auth${path}`,
    largestBody: method === "GET" ? 0 : accountBodyBytes,
    samples: () => [
      {
        query: method === "GET" ? { token: `token-${sequence}`, callbackURL: "/" } : undefined,
        body: method === "GET" ? undefined : accountBody(options?.body),
      },
    ],
  }));
}

/** Requests of the site's routes that need more than their path. */
const siteSamples: Readonly<Record<string, (deviceId: string) => SampleParts>> = {
  "/api/site/first-contact": (deviceId) => ({ body: { deviceId, claimCode: "WRONG-CODE" } }),
  "/api/alerts/unsubscribe": () => ({ query: { token: `token-${sequence}.signature` } }),
};
const siteBodyBytes = 4_000;

/** A gateway that routes are created with, to list them. They are not called. */
const uncalled = { as: () => ({}) } as unknown as Gateway;

/** Returns the page and the endpoints beside the API and the accounts. */
function siteEndpoints(): Endpoint[] {
  const findAccount = async () => null;
  const site = createSiteRoutes({
    url: "",
    findAccount,
    findPeople: async () => [],
    commands: [],
    webhooksOfOwners: false,
    demo: undefined,
  });
  const routers = [
    site,
    createUnsubscribeRoute(uncalled, createUnsubscribeTokens("pepper")),
    createFirstContactRoute(uncalled, findAccount, {
      ...{ publicUrl: undefined, requireVerifiedEmail: true, track: (work) => work },
    }),
  ];
  const listed = routers
    .flatMap(({ stack }) => stack.flatMap(({ route }) => route ?? []))
    .flatMap(({ path, stack }) =>
      [...new Set(stack.map(({ method }) => method))].map((method) => [method, path] as const),
    );
  return [...listed, ["get", "/"] as const, ["get", "/nothing-here"] as const].map(
    ([method, path]) => ({
      ...common,
      name: `site: ${path}${method === "get" ? "" : ` by ${method.toUpperCase()}`}`,
      method: method.toUpperCase(),
      path,
      largestBody: method === "get" ? 0 : siteBodyBytes,
      samples: (deviceId) => [siteSamples[path]?.(deviceId) ?? {}],
    }),
  );
}

/** Returns the endpoints of better-auth that the bundled server serves, and those of the page. */
export async function listAccountEndpoints(): Promise<readonly Endpoint[]> {
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
      releaseDevices: async () => {},
    });
    const endpoints = Object.entries(auth.api) as unknown as [string, AuthEndpoint][];
    return [...endpoints.flatMap(toEndpoints), ...siteEndpoints()];
  } finally {
    handle.close();
  }
}
