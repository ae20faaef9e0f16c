import { validate } from "@readme/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Route, routes, toOpenApi } from "../index.js";
import { exampleOf } from "./example-of.js";

const openApi = toOpenApi(routes, { basePath: "/api/v1" });

describe("toOpenApi", () => {
  it("describes the routes in valid OpenAPI 3.1", async () => {
    expect(await validate(structuredClone(openApi) as never)).toMatchObject({ valid: true });
  });

  it.each(Object.entries<Route>(routes))(
    "has valid examples of %s",
    (_, { request, responses }) => {
      const examples: [z.ZodType, "input" | "output"][] = [
        ...(request.kind === "json" ? [[request.schema, "input"] as [z.ZodType, "input"]] : []),
        ...responses.flatMap((response): [z.ZodType, "output"][] =>
          response.kind === "json" ? [[response.schema, "output"]] : [],
        ),
      ];
      for (const [schema, io] of examples) {
        const example = exampleOf(z.toJSONSchema(schema, { io }));
        expect(schema.safeParse(example).error, JSON.stringify(example)).toBeUndefined();
      }
    },
  );

  const ajv = new Ajv2020({ strict: false });
  // The OpenAPI schema accepts any object as a JSON Schema, so the component schemas are validated separately.
  it.each(Object.entries(openApi.components.schemas))("has a valid schema of %s", (_, schema) => {
    expect(ajv.validateSchema(schema as object), ajv.errorsText()).toBe(true);
  });
});
