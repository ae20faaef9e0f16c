import { z } from "zod";
import { type ErrorCode, Problem, problems } from "../parts/problem.js";
import type { Caller, Route } from "../parts/route.js";
import { exampleOf } from "./example-of.js";

export interface OpenApiOptions {
  /** The URL that the API is served at, such as `https://gateway.example.com`. Default: relative URLs. */
  readonly origin?: string | undefined;
  readonly basePath: string;
}

const json = (schema: unknown, type = "application/json") => ({ [type]: { schema } });
const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Replaces a pattern with a Unicode class, such as `^[^\\p{C}]{1,64}$`, by the length that it allows. Many tools compile
 * patterns without the flag `u`, and then match something else.
 */
function replaceUnicodePattern(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern?.includes("\\p{") !== true) return;
  const [, min, max] = /\{(\d+),(\d+)\}\$$/.exec(schema.pattern) ?? [];
  delete schema.pattern;
  if (min !== undefined) Object.assign(schema, { minLength: Number(min), maxLength: Number(max) });
}

function toSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => replaceUnicodePattern(jsonSchema),
  });
  return rest;
}

function parametersOf(route: Route) {
  const places = { path: route.params, query: route.query, header: route.headers };
  return Object.entries(places).flatMap(([place, schema]) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const { description, ...rest } = toSchema(field as z.ZodType, "input");
      const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
      return { name, in: place, required, description, schema: rest };
    }),
  );
}

function errorResponsesOf(route: Route): [number, unknown][] {
  const statusOf = (code: ErrorCode) => problems[code].status;
  return [...new Set(route.errors.map(statusOf))].map((status) => {
    const codes = route.errors.filter((code) => statusOf(code) === status);
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].detail}`).join("\n\n"),
        content: json(component("Problem"), "application/problem+json"),
      },
    ];
  });
}

const describeHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([header, description]) => [
      header,
      { description, schema: { type: "string" } },
    ]),
  );

/** Operations are grouped by their callers. */
const tags: Readonly<Record<Caller | "service", { name: string; description: string }>> = {
  device: {
    name: "Device",
    description: "What firmware calls. It registers, then sends its token.",
  },
  customer: {
    name: "Customer",
    description: "Claims and releases devices, with a customer token.",
  },
  session: { name: "Dashboard", description: "What a dashboard calls for a signed-in user." },
  operator: {
    name: "Operator",
    description: "Manages the fleet, for users with the role operator.",
  },
  service: { name: "Service", description: "Probes and this document. No authentication." },
};

const tagOf = ({ auth, scope }: Route) =>
  tags[auth[0] ?? (scope === "service" ? "service" : "device")].name;

/** Returns the description of an operation: its summary, and the limits that its entry in the route table implies. */
function describeRoute({ summary, auth, throttle, request }: Route): string {
  const caller = auth[0] === undefined ? "No authentication." : `Needs: ${auth[0]}.`;
  const throttled = throttle && `Counts against the throttle "${throttle}".`;
  const limited = request.kind !== "none" && `The body's limit is \`${request.limit}\`.`;
  const facts = [caller, throttled, limited].filter(Boolean);
  return `${summary}\n\n${facts.join(" ")}`;
}

/** Linters expect a 4xx response of every operation. Even for a route without one, the HTTP listener may send it. */
const refusedByListener = {
  "4XX": {
    description: "The listener refused the request, for example because its headers are too large.",
  },
};

function operationOf(name: string, route: Route, schemas: Record<string, unknown>) {
  /** Adds a component. Returns the media type that refers to it, with an example. */
  const named = (suffix: string, schema: z.ZodType, io: "input" | "output") => {
    const described = toSchema(schema, io);
    schemas[capitalised(name) + suffix] = described;
    const content = {
      schema: component(capitalised(name) + suffix),
      example: exampleOf(described),
    };
    return { "application/json": content };
  };
  // Statuses with the same schema share one component.
  const answerContents = new Map<z.ZodType, object>();
  const answerContent = (schema: z.ZodType) => {
    const found = answerContents.get(schema) ?? named("Answer", schema, "output");
    answerContents.set(schema, found);
    return found;
  };
  const answers = new Map<number, { description: string; headers?: object; content?: object }>();
  for (const response of route.responses) {
    const { status, description } = response;
    const known = answers.get(status);
    answers.set(status, {
      description: known ? `${known.description} ${description}` : description,
      ...(response.kind === "json" && {
        headers: describeHeaders(response.headers ?? {}),
        content: { ...known?.content, ...answerContent(response.schema) },
      }),
      ...(response.kind === "bytes" && {
        headers: describeHeaders(response.headers ?? {}),
        content: { "application/octet-stream": {} },
      }),
      ...(response.kind === "stream" && {
        ...(response.headers && { headers: describeHeaders(response.headers) }),
        content: { ...known?.content, ...json({ type: "string" }, response.type) },
      }),
    });
  }
  const errors = errorResponsesOf(route);
  return {
    operationId: name,
    tags: [tagOf(route)],
    summary: route.summary,
    description: describeRoute(route),
    security: route.auth.map((caller) => ({ [caller]: [] })),
    parameters: parametersOf(route),
    ...(route.request.kind === "json" && {
      requestBody: {
        required: true,
        content: named("Request", route.request.schema, "input"),
      },
    }),
    ...(route.request.kind === "bytes" && {
      requestBody: { required: true, content: { "application/octet-stream": {} } },
    }),
    responses: {
      ...Object.fromEntries<unknown>([...answers, ...errors]),
      ...(errors.every(([status]) => status >= 500) && refusedByListener),
    },
  };
}

const bearer = (description: string, bearerFormat?: string) => ({
  type: "http",
  scheme: "bearer",
  description,
  ...(bearerFormat && { bearerFormat }),
});

/**
 * Returns an OpenAPI 3.1 document of the routes.
 *
 * @example
 * const document = toOpenApi(routes, { basePath: "/api/v1" });
 */
export function toOpenApi(routes: Readonly<Record<string, Route>>, options: OpenApiOptions) {
  const schemas: Record<string, unknown> = { Problem: toSchema(Problem, "output") };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const prefix = route.scope === "api" ? options.basePath : "";
    const path = prefix + route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(name, route, schemas);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Device Gateway",
      version: "1",
      description: "The backend for fleets of small Wi-Fi gateways.",
      contact: { name: "The Device Gateway authors" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: options.origin?.replace(/\/+$/, "") ?? "/" }],
    tags: Object.values(tags),
    paths,
    components: {
      schemas,
      securitySchemes: {
        device: bearer("Device token.", "JWT"),
        customer: bearer("Customer token."),
        session: bearer(
          "Dashboard session, in any form that the embedder accepts, such as a cookie.",
        ),
        operator: bearer("Session of an operator."),
      },
    },
  };
}
