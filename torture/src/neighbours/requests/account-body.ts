import { sequence } from "./message.js";

/** The parts of a zod schema that are needed to fill it, in any zod version that better-auth uses. */
interface Schema {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly def?: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly left?: Schema;
    readonly right?: Schema;
    readonly options?: readonly Schema[];
  };
  safeParse?(value: unknown): { readonly success: boolean };
}

/** Values that make an endpoint do real work, by field name. For example, a password is hashed. */
const known: Readonly<Record<string, unknown>> = {
  email: `flood-${sequence}@example.com`,
  newEmail: `flood-new-${sequence}@example.com`,
  password: `correct horse ${sequence}`,
  newPassword: `battery staple ${sequence}`,
  currentPassword: `correct horse ${sequence}`,
  name: `Ann ${sequence}`,
  token: `token-${sequence}`,
  callbackURL: "/",
  redirectTo: "/",
  provider: "github",
  providerId: "github",
  accountId: `account-${sequence}`,
};
const otherValues = [`text-${sequence}`, true, 1, [], {}];

const accepts = (schema: Schema, value: unknown) => schema.safeParse?.(value).success ?? true;

function fieldsOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { def } = schema;
  if (def?.innerType) return fieldsOf(def.innerType);
  if (def?.left && def.right) return { ...fieldsOf(def.left), ...fieldsOf(def.right) };
  const [first] = def?.options ?? [];
  return first ? fieldsOf(first) : (schema.shape ?? {});
}

/** Builds a body of which the schema accepts each field, checked one field at a time. */
export function accountBody(schema: unknown): Readonly<Record<string, unknown>> {
  const fields = Object.entries(fieldsOf((schema ?? {}) as Schema));
  const filled = fields.flatMap(([name, field]) => {
    const value = [known[name], ...otherValues].find(
      (one) => one !== undefined && accepts(field, one),
    );
    return value === undefined ? [] : [[name, value] as const];
  });
  // An endpoint without a schema for its fields gets a name.
  return filled.length === 0 ? { name: known["name"] } : Object.fromEntries(filled);
}
