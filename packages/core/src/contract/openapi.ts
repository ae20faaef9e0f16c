import { z } from "zod";
import { type ErrorCode, Problem, problems } from "./problem.js";
import type { Route } from "./route.js";

export interface OpenApiOptions {
  /** Where the API is found, such as `https://gateway.example.com`. Default: relative. */
  readonly origin?: string | undefined;
  readonly basePath: string;
}

const json = (schema: unknown, type = "application/json") => ({ [type]: { schema } });
const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function toSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
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

function operationOf(name: string, route: Route, schemas: Record<string, unknown>) {
  const named = (suffix: string, schema: z.ZodType, io: "input" | "output") => {
    schemas[capitalised(name) + suffix] = toSchema(schema, io);
    return component(capitalised(name) + suffix);
  };
  const answers = route.responses.map((response): [number, unknown] => [
    response.status,
    response.kind === "empty"
      ? { description: response.description }
      : {
          description: response.description,
          headers: Object.fromEntries(
            Object.entries(response.headers ?? {}).map(([header, description]) => [
              header,
              { description, schema: { type: "string" } },
            ]),
          ),
          content: json(named("Answer", response.schema, "output")),
        },
  ]);
  return {
    operationId: name,
    summary: route.summary,
    security: route.auth.map((caller) => ({ [caller]: [] })),
    parameters: parametersOf(route),
    ...(route.request.kind === "json" && {
      requestBody: {
        required: true,
        content: json(named("Request", route.request.schema, "input")),
      },
    }),
    responses: Object.fromEntries<unknown>([...answers, ...errorResponsesOf(route)]),
  };
}

/** Describes routes as an OpenAPI 3.1 document. */
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
      license: { name: "MIT", identifier: "MIT" },
    },
    ...(options.origin !== undefined && { servers: [{ url: options.origin }] }),
    paths,
    components: {
      schemas,
      securitySchemes: {
        device: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "Device token.",
        },
      },
    },
  };
}
