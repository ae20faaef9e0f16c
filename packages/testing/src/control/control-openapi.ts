import { z } from "zod";
import { type ControlRoute, controlRoutes } from "./control-routes.js";

function toSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

const json = (schema: unknown) => ({ "application/json": { schema } });

function parametersOf({ params, query }: ControlRoute) {
  const places = { path: params, query };
  return Object.entries(places).flatMap(([place, schema]) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => {
      const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
      return { name, in: place, required, schema: toSchema(field as z.ZodType, "input") };
    }),
  );
}

const refused = {
  description: "The request is invalid or refused. `error` says why.",
  content: json({
    type: "object",
    properties: { error: { type: "string" } },
    required: ["error"],
  }),
};

function bodyOf(body: ControlRoute["body"]) {
  if (body === undefined) return {};
  const content =
    body === "bytes" ? { "application/octet-stream": {} } : json(toSchema(body, "input"));
  return { requestBody: { required: true, content } };
}

function operationOf(operationId: string, route: ControlRoute) {
  const { summary, answer, status } = route;
  return {
    operationId,
    summary,
    parameters: parametersOf(route),
    ...bodyOf(route.body),
    responses: {
      [status]: {
        description: answer === undefined ? "Done." : "The result.",
        ...(answer !== undefined && { content: json(toSchema(answer, "output")) }),
      },
      "4XX": refused,
    },
  };
}

/**
 * Returns an OpenAPI 3.1 document of the control API.
 *
 * @example
 * await writeFile("control-openapi.json", JSON.stringify(controlOpenApi(), null, 2));
 */
export function controlOpenApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries<ControlRoute>(controlRoutes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Test cloud control API",
      version: "1",
      description:
        "Controls a test cloud: its devices, clock, faults and releases, and what it has seen.",
      contact: { name: "The Device Gateway authors" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    // A token is required only where the process was started with one.
    security: [{}, { token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}
