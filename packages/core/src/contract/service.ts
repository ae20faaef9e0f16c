import { z } from "zod";
import { alwaysErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

const Health = z.object({ status: z.literal("ok") });

export const serviceRoutes = {
  readOpenApi: {
    method: "GET",
    scope: "api",
    path: "/openapi.json",
    summary: "Returns this API as an OpenAPI 3.1 document.",
    auth: [],
    headers: z.object({
      "if-none-match": z
        .string()
        .optional()
        .meta({ description: "The ETag of the document that the caller has." }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The document.",
        schema: z.looseObject({ openapi: z.string() }),
        headers: { ETag: "Changes whenever the document changes, and only then." },
      },
      { status: 304, kind: "empty", description: "The caller has the current document." },
    ],
    errors: alwaysErrors,
  },
  readLiveness: {
    method: "GET",
    scope: "service",
    path: "/healthz",
    summary: "Reports that the process runs.",
    auth: [],
    request: { kind: "none" },
    responses: [{ status: 200, kind: "json", description: "The process runs.", schema: Health }],
    errors: alwaysErrors,
  },
  readReadiness: {
    method: "GET",
    scope: "service",
    path: "/readyz",
    summary:
      "Reports whether to send requests here. 503 while the store is unavailable or the server stops.",
    auth: [],
    request: { kind: "none" },
    responses: [{ status: 200, kind: "json", description: "The store answers.", schema: Health }],
    errors: alwaysErrors,
  },
} as const satisfies Record<string, Route>;
