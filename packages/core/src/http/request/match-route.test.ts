import fc from "fast-check";
import { expect, test } from "vitest";
import type { Route } from "../../contract/index.js";
import { createRouteMatcher } from "./match-route.js";

const route = (
  method: Route["method"],
  path: Route["path"],
  scope: Route["scope"] = "api",
): Route => ({
  method,
  path,
  scope,
  summary: "",
  auth: [],
  request: { kind: "none" },
  responses: [],
  errors: [],
});
const matcher = createRouteMatcher(
  {
    list: route("GET", "/things"),
    read: route("GET", "/things/:thingId"),
    replace: route("PUT", "/things/:thingId"),
    part: route("GET", "/things/:thingId/parts/:partId"),
    dotted: route("GET", "/open.json"),
    health: route("GET", "/healthz", "service"),
  },
  ["/api/v1", "/v1"],
);
const nameOf = (method: string, path: string) => {
  const match = matcher.match(method, path);
  return match.kind === "matched" ? match.name : match.kind;
};

test("§0 a path and a method match one route, below every base path", () => {
  expect(nameOf("GET", "/api/v1/things")).toBe("list");
  expect(nameOf("GET", "/v1/things/7")).toBe("read");
  expect(nameOf("HEAD", "/v1/things/7")).toBe("read");
  expect(nameOf("PUT", "/v1/things/7")).toBe("replace");
  expect(nameOf("GET", "/healthz")).toBe("health");
  const nowhere = [
    "/things",
    "/api/v1/things/",
    "/api/v1//things",
    "/v1/openxjson",
    "/v1/healthz",
    "/v2/things",
  ];
  for (const path of nowhere) expect([path, nameOf("GET", path)]).toEqual([path, "not_found"]);
});

test("§0 path parameters are decoded, and an invalid escape is reported as such", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.string({ minLength: 1 }),
      (a, b) => {
        const path = `/api/v1/things/${encodeURIComponent(a)}/parts/${encodeURIComponent(b)}`;
        expect(matcher.match("GET", path)).toMatchObject({ params: { thingId: a, partId: b } });
      },
    ),
  );
  expect(nameOf("GET", "/api/v1/things/%zz")).toBe("bad_escape");
});

test("§0 a wrong method is answered with the allowed ones", () => {
  expect(matcher.match("POST", "/v1/things/7")).toEqual({
    kind: "method_not_allowed",
    allow: ["GET", "PUT", "HEAD"],
  });
});

test("paths outside the gateway's are left to the embedder", () => {
  const served = {
    "/api/v1/none": true,
    "/v1": true,
    "/healthz": true,
    "/": false,
    "/api/v10": false,
  };
  for (const [path, serves] of Object.entries(served)) {
    expect([path, matcher.serves(path)]).toEqual([path, serves]);
  }
});
