import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { ControlError } from "./control-error.js";
import { type ControlRoute, type ControlRouteName, controlRoutes } from "./control-routes.js";

const jsonLimit = 1_000_000;
const imageLimit = 64 * 2 ** 20;

interface FoundRoute {
  readonly name: ControlRouteName;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds an operation. @throws {ControlError} 404 or 405. */
export function findControlRoute(method: string, path: string): FoundRoute {
  const methods: string[] = [];
  for (const [name, route] of Object.entries<ControlRoute>(controlRoutes)) {
    const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    const match = pattern.exec(path);
    if (match === null) continue;
    if (route.method === method)
      return { name: name as ControlRouteName, params: decode(match.groups ?? {}) };
    methods.push(route.method);
  }
  if (methods.length > 0)
    throw new ControlError(405, `${path} takes ${methods.join(" and ")}, not ${method}.`);
  throw new ControlError(404, `There is no ${path}. GET /openapi.json lists all operations.`);
}

function decode(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    throw new ControlError(400, "The path is not percent-encoded correctly.");
  }
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) throw new ControlError(413, `The body has more than ${limit} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`,
  );
  throw new ControlError(400, issues.join("; "));
}

/** An empty body counts as an empty object. */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new ControlError(400, "The body is not JSON.");
  }
}

/** Reads and checks a request. @throws {ControlError} 400 or 413. */
export async function readControlRequest(
  request: IncomingMessage,
  { body, params, query }: ControlRoute,
  givenParams: Readonly<Record<string, string>>,
  givenQuery: URLSearchParams,
) {
  const bytes = await readBytes(request, body === "bytes" ? imageLimit : jsonLimit);
  return {
    params: params && parse(params, givenParams),
    query: query && parse(query, Object.fromEntries(givenQuery)),
    body: body === "bytes" ? bytes : body && parse(body, parseJson(bytes)),
  };
}
