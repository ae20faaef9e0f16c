import type { z } from "zod";
import type { FieldError } from "../contract/index.js";

/** Lists what a schema found wrong, in the form of the API's `errors` (contract §0). */
export function toFieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map(({ path, code, message }) => ({
    path: path.map(String).join("."),
    code: code ?? "custom",
    message,
  }));
}
