import { type Route, type RouteResponse, routes } from "@device-gateway/core/contract";
import { z } from "zod";

type JsonSchema = {
  type?: string | string[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
};

/** Returns the JSON types of a field, such as `string|null`, or null if the schema does not restrict them. */
function typesOf({ type, anyOf }: JsonSchema): string | null {
  if (anyOf !== undefined) {
    const each = anyOf.map(typesOf);
    return each.includes(null) ? null : [...new Set(each)].join("|");
  }
  if (type === undefined) return null;
  return [type]
    .flat()
    .map((name) => (name === "integer" ? "number" : name))
    .join("|");
}

/** Returns the required top-level fields of a response. */
function fieldsOf(schema: z.ZodType): string {
  const { required = [], properties = {} } = z.toJSONSchema(schema, {
    io: "output",
    unrepresentable: "any",
  }) as JsonSchema;
  return required
    .flatMap((name) => {
      const types = typesOf(properties[name] ?? {});
      return types === null ? [] : [`${name}:${types}`];
    })
    .join(" ");
}

function toAnswer(response: RouteResponse): unknown {
  const { status, kind } = response;
  if (kind === "json") return { status, kind, fields: fieldsOf(response.schema) };
  if (kind === "stream") return { status, kind, type: response.type.split(";")[0] };
  return { status, kind };
}

/** Returns the TypeScript module with the part of the contract that the client needs at run time. */
export function wireTable(): string {
  const lines = Object.entries<Route>(routes)
    .filter(([, { scope }]) => scope === "api")
    .map(([name, { method, path, auth, responses, errors }]) => {
      const caller = auth[0] ?? "anybody";
      const answers = responses.map(toAnswer);
      return `  ${name}: ${JSON.stringify({ method, path, caller, answers, errors: errors.join(" ") })},`;
    });
  return [
    "// Made by `pnpm generate` from the contract. Do not edit.",
    'import type { WireTable } from "./wire-route.js";',
    "",
    "/** Every route of the API, as far as a client must know it at run time. */",
    "export const wireTable: WireTable = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}
