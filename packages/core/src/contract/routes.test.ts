import { expect, test } from "vitest";
import { z } from "zod";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";
import { routes } from "./routes.js";

/** Returns whether a query can be rejected. One whose fields all have a fallback cannot. */
const canBeInvalid = (query: Route["query"]) =>
  Object.values(query?.shape ?? {}).some((field) => !(field instanceof z.ZodCatch));

const table: [string, Route][] = Object.entries(routes);

test("every route declares the errors that its authentication, throttle and input imply", () => {
  for (const [name, route] of table) {
    const implied = [
      ...alwaysErrors,
      ...(route.auth.length > 0 ? ["unauthorized"] : []),
      ...(route.throttle ? ["too_many_requests"] : []),
      ...(route.request.kind === "json" ? jsonBodyErrors : []),
      ...(route.params || canBeInvalid(route.query) ? ["invalid_request"] : []),
    ];
    expect([name, implied.filter((code) => !route.errors.includes(code as never))]).toEqual([
      name,
      [],
    ]);
    expect(new Set(route.errors).size).toBe(route.errors.length);
  }
});

test("no two routes share a method and path", () => {
  const keys = table.map(([, { scope, method, path }]) => `${scope} ${method} ${path}`);
  expect(new Set(keys).size).toBe(keys.length);
});
