/** The keywords of a JSON Schema that an example depends on. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
}

const isShown = ({ required = [] }: Schema, name: string, member: Schema) =>
  required.includes(name) || member.examples !== undefined;

/**
 * Returns an example of a JSON Schema: its first example, or one built from its parts. The example of an object has the
 * members that are required or that have an example. A string with a pattern needs its own example.
 */
export function exampleOf(jsonSchema: object): unknown {
  const schema = jsonSchema as Schema;
  const [given = schema.example ?? schema.const ?? schema.default ?? schema.enum?.[0]] =
    schema.examples ?? [];
  if (given !== undefined) return given;
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first);
  switch (typeof schema.type === "string" ? schema.type : schema.type?.[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name, member]) => isShown(schema, name, member))
          .map(([name, member]) => [name, exampleOf(member)]),
      );
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items)];
    case "string":
      return schema.format === "date-time" ? "2026-01-31T12:00:00.000Z" : "text";
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 0, 0);
    case "boolean":
      return true;
    default:
      return null;
  }
}
