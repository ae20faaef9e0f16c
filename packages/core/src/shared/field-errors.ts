import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FieldError } from "../contract/index.js";

/** A Standard Schema says only the path and the message. Zod adds a code. */
type Issue = StandardSchemaV1.Issue & { readonly code?: unknown };

/** Converts the issues of a schema to the `errors` of a problem document (§0). */
export const toFieldErrors = ({ issues }: { readonly issues: readonly Issue[] }): FieldError[] =>
  issues.map(({ path = [], code, message }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    code: typeof code === "string" ? code : "custom",
    message,
  }));
