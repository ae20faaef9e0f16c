import type { z } from "zod";
import type { FieldError } from "../contract/index.js";

/** Converts the issues of a schema to the `errors` of a problem document (§0). */
export function toFieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map(({ path, code, message }) => ({
    path: path.map(String).join("."),
    code: code ?? "custom",
    message,
  }));
}
