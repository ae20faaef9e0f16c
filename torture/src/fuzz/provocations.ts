import { problems, type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { samplesOf } from "../samples/samples.js";
import type { FuzzScene } from "./fuzz-world.js";
import { bodyLimits } from "./fuzz-world.js";
import type { FuzzRequest } from "./message.js";
import type { GenericStatus, Provocation, Sent } from "./provocation.js";
import { special } from "./special-provocations.js";

const jsonHeaders = { "content-type": "application/json" };
const evilSite = { origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };

/** Changes a route's plain request so that the route returns a generic status. */
function provoke(route: Route, status: GenericStatus, scene: FuzzScene, plain: Sent): Sent {
  const { request, params, auth, method } = route;
  switch (status) {
    case 400: {
      if (request.kind === "json") return { ...plain, raw: Buffer.from('{"deviceId": ') };
      const wrong = Object.keys(params?.shape ?? {}).map((name): [string, string] => [name, " "]);
      if (wrong.length > 0) return { ...plain, params: Object.fromEntries(wrong) };
      return { ...plain, query: { limit: "0", currentVersion: "new" } };
    }
    case 401:
      return { ...plain, token: null };
    case 403:
      if (method === "GET") return { ...plain, token: scene.tokens.stranger };
      return {
        ...plain,
        token: null,
        headers: {
          ...plain.headers,
          ...evilSite,
          cookie: `session=${auth[0] === "operator" ? scene.tokens.operator : scene.tokens.owner}`,
        },
      };
    case 404: {
      const unknown = {
        ...{ deviceId: "never-registered", releaseId: "999999999", commandId: "never-sent" },
      };
      return { ...plain, params: { ...plain.params, ...unknown } };
    }
    case 413: {
      const limit = request.kind === "none" ? 0 : bodyLimits[request.limit];
      return { ...plain, raw: Buffer.alloc(limit + 1, " ") };
    }
    case 415:
      return request.kind === "bytes"
        ? { ...plain, headers: { ...plain.headers, "content-encoding": "gzip" } }
        : { ...plain, headers: { ...plain.headers, "content-type": "text/plain" } };
    case 429:
    case 500:
    case 503:
      return { ...plain, fault: status };
  }
}

/** Routes that use nothing that can fail, so they never return 500 or 503. */
const infallible: readonly RouteName[] = ["readOpenApi", "readLiveness"];

export interface Case {
  readonly name: RouteName;
  readonly status: number;
  request(scene: FuzzScene): Promise<FuzzRequest>;
}

function declaredStatuses({ responses, errors }: Route): number[] {
  const all = [
    ...responses.map((one) => one.status),
    ...errors.map((code) => problems[code].status),
  ];
  return [...new Set(all)];
}

const plainStatus = ({ responses }: Route) => responses[0]?.status as number;

/** Returns the route's first sample, about the scene's device. */
const sampleOf =
  (name: RouteName): Provocation =>
  ({ device }) =>
    samplesOf(name)[0].request(device.deviceId);

function toCase(name: RouteName, status: number): Case {
  const route = routes[name] as Route;
  // The type of `special` has checked that no status of the route's own is missing.
  const ofRoute: Readonly<Record<number, Provocation>> = {
    [plainStatus(route)]: sampleOf(name),
    ...(special[name] as Readonly<Record<number, Provocation>> | undefined),
  };
  const plainly = ofRoute[plainStatus(route)] as Provocation;
  return {
    name,
    status,
    async request(scene) {
      const own = ofRoute[status];
      const sent = own
        ? await own(scene)
        : provoke(route, status as GenericStatus, scene, await plainly(scene));
      return toRequest(route, sent, scene);
    },
  };
}

/** One request for each status that a route declares. */
export const cases: readonly Case[] = (Object.keys(routes) as RouteName[]).flatMap((name) =>
  declaredStatuses(routes[name])
    .filter((status) => status < 500 || !infallible.includes(name))
    .map((status) => toCase(name, status)),
);

const tokenFor = ({ auth }: Route, { tokens, device }: FuzzScene): string | null => {
  switch (auth[0]) {
    case undefined:
      return null;
    case "device":
      return device.token;
    case "operator":
      return tokens.operator;
    case "customer":
    case "session":
      return tokens.owner;
  }
};

export function toRequest(route: Route, sent: Sent, scene: FuzzScene): FuzzRequest {
  const params = {
    ...{ deviceId: scene.device.deviceId, releaseId: scene.release.id, commandId: "never-sent" },
    ...sent.params,
  };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: keyof typeof params) =>
    encodeURIComponent(params[name]),
  );
  const query = new URLSearchParams(sent.query).toString();
  const token = sent.token === undefined ? tokenFor(route, scene) : sent.token;
  const { kind } = route.request;
  const body =
    sent.raw ??
    (kind === "json" && sent.body !== undefined ? Buffer.from(JSON.stringify(sent.body)) : null);
  return {
    method: route.method,
    target: (route.scope === "api" ? "/api/v1" : "") + path + (query && `?${query}`),
    headers: {
      ...(kind === "json" && jsonHeaders),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...sent.headers,
    },
    body,
    fault: sent.fault ?? null,
  };
}
