import type { Route } from "../../contract/index.js";

export interface RouteMatch {
  readonly name: string;
  readonly route: Route;
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
}

export type MatchOutcome =
  | ({ readonly kind: "matched" } & RouteMatch)
  | { readonly kind: "not_found" }
  | { readonly kind: "bad_escape" }
  | { readonly kind: "method_not_allowed"; readonly allow: readonly string[] };

interface Candidate {
  readonly name: string;
  readonly route: Route;
  readonly paths: readonly RegExp[];
}

interface Found {
  readonly name: string;
  readonly route: Route;
  /** Path parameters, still encoded. */
  readonly groups: Readonly<Record<string, string>>;
}

const toPattern = (path: string) =>
  new RegExp(
    `^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`,
  );

/** Finds the route of a request. The route of GET also answers HEAD. */
export interface RouteMatcher {
  match(method: string, path: string): MatchOutcome;
  /** Returns whether the gateway answers requests to the path, even if only with 404. */
  serves(path: string): boolean;
}

/**
 * Creates a matcher for a route table. Routes of the scope `api` are below each of the base paths.
 *
 * @example
 * const { match } = createRouteMatcher(routes, ["/api/v1"]);
 * match("GET", "/api/v1/device/config"); // { kind: "matched", name: "readConfig", … }
 * match("GET", "/"); // { kind: "not_found" }
 */
export function createRouteMatcher(
  routes: Readonly<Record<string, Route>>,
  basePaths: readonly string[],
): RouteMatcher {
  const pathsOf = ({ scope, path }: Route) =>
    (scope === "api" ? basePaths : [""]).map((prefix) => prefix + path);
  const candidates: Candidate[] = Object.entries(routes).map(([name, route]) => ({
    name,
    route,
    paths: pathsOf(route).map(toPattern),
  }));

  const search = (path: string): readonly Found[] =>
    candidates.flatMap(({ name, route, paths }) => {
      const groups = paths.map((pattern) => pattern.exec(path)).find((found) => found !== null);
      return groups ? [{ name, route, groups: groups.groups ?? {} }] : [];
    });

  // A path without parameters is looked up, which is faster than trying the pattern of each route.
  const fixed = Object.values(routes).flatMap(pathsOf);
  const known = new Map(
    fixed.filter((path) => !path.includes("/:")).map((path) => [path, search(path)]),
  );
  const find = (path: string) => known.get(path) ?? search(path);

  return {
    serves: (path) =>
      basePaths.some((base) => path === base || path.startsWith(`${base}/`)) ||
      find(path).length > 0,
    match(method, path) {
      const found = find(path);
      if (found.length === 0) return { kind: "not_found" };
      const routeMethod = method === "HEAD" ? "GET" : method;
      const match = found.find(({ route }) => route.method === routeMethod);
      if (match === undefined) {
        const methods = found.map(({ route }) => route.method);
        return {
          kind: "method_not_allowed",
          allow: methods.includes("GET") ? [...methods, "HEAD"] : methods,
        };
      }
      try {
        const params = Object.entries(match.groups).map(([name, value]): [string, string] => [
          name,
          decodeURIComponent(value),
        ]);
        const { name, route } = match;
        return { kind: "matched", name, route, params: Object.fromEntries<string>(params) };
      } catch {
        return { kind: "bad_escape" };
      }
    },
  };
}
