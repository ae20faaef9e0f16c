import { type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { expect, it } from "vitest";
import { samplesOf } from "./samples.js";

const requestsOf = (name: RouteName) => samplesOf(name).map(({ request }) => request("gw-1"));

it("derives a request about the device, or without parts, for a route without an entry", () => {
  expect(requestsOf("inspectDevice")).toEqual([{ params: { deviceId: "gw-1" } }]);
  expect(requestsOf("fetchCommands")).toEqual([{}]);
});

it("keeps all samples of a route with an entry", () => {
  expect(requestsOf("listDevices")).toEqual([{}, { query: { limit: "1" } }]);
});

it("has samples of every route, with each path parameter, a valid query and a body where the route has one", () => {
  for (const name of Object.keys(routes) as RouteName[]) {
    const { path, query, request } = routes[name] as Route;
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter);
    for (const sent of requestsOf(name)) {
      expect(Object.keys(sent.params ?? {}).sort(), name).toEqual(parameters.sort());
      expect(query?.safeParse(sent.query ?? {}).success ?? true, name).toBe(true);
      expect(sent.body !== undefined, name).toBe(request.kind !== "none");
    }
  }
});
