import { z } from "zod";

/**
 * Parses an option of `createGateway` with its schema.
 * @throws {TypeError} if it is invalid. The message names the option and lists every problem.
 */
export function parseOption<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TypeError(`createGateway: ${name} is invalid.\n${z.prettifyError(parsed.error)}`);
}
