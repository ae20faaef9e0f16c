import { z } from "zod";
import { type ErrorCode, Problem, problems } from "./problem.js";
import type { Route } from "./route.js";

export interface OpenApiOptions {
  /** The origin that serves the API, such as `https://gateway.example.com`. Default: relative URLs. */
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

const describeHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([header, description]) => [
      header,
      { description, schema: { type: "string" } },
    ]),
  );

function operationOf(name: string, route: Route, schemas: Record<string, unknown>) {
  const named = (suffix: string, schema: z.ZodType, io: "input" | "output") => {
    schemas[capitalised(name) + suffix] = toSchema(schema, io);
    return component(capitalised(name) + suffix);
  };
  // Statuses with the same schema share one component.
  const answerSchemas = new Map<z.ZodType, unknown>();
  const answerSchema = (schema: z.ZodType) => {
    const found = answerSchemas.get(schema) ?? named("Answer", schema, "output");
    answerSchemas.set(schema, found);
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
        content: { ...known?.content, ...json(answerSchema(response.schema)) },
      }),
      ...(response.kind === "bytes" && {
        headers: describeHeaders(response.headers ?? {}),
        content: { "application/octet-stream": {} },
      }),
      ...(response.kind === "stream" && {
        content: { ...known?.content, ...json({ type: "string" }, response.type) },
      }),
    });
  }
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
    ...(route.request.kind === "bytes" && {
      requestBody: { required: true, content: { "application/octet-stream": {} } },
    }),
    responses: Object.fromEntries<unknown>([...answers, ...errorResponsesOf(route)]),
  };
}

const bearer = (description: string, bearerFormat?: string) => ({
  type: "http",
  scheme: "bearer",
  description,
  ...(bearerFormat && { bearerFormat }),
});

/** Returns an OpenAPI 3.1 document of the routes. */
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
