import { validate } from "@readme/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { routes, toOpenApi } from "./index.js";

const openApi = () => toOpenApi(routes, { basePath: "/api/v1" });

describe("toOpenApi", () => {
  it("describes the routes in valid OpenAPI 3.1", async () => {
    expect(await validate(structuredClone(openApi()) as never)).toMatchObject({ valid: true });
  });

  // The OpenAPI schema accepts any object as a JSON Schema, so the component schemas are validated separately.
  it.each(Object.entries(openApi().components.schemas))("has a valid schema of %s", (_, schema) => {
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validateSchema(schema as object), ajv.errorsText()).toBe(true);
  });
});
