import { z } from "zod";

/** @throws {TypeError} that names the option and everything that is wrong with it. */
export function parseOption<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TypeError(`createGateway: ${name} is not right.\n${z.prettifyError(parsed.error)}`);
}
