import { sequence } from "./message.js";

/** As much of a zod schema, of any version that better-auth brings, as it takes to fill it. */
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

/** What makes an endpoint work hardest, by the name of the field: a password is hashed. */
const known: Readonly<Record<string, unknown>> = {
  email: `s11-${sequence}@example.com`,
  newEmail: `s11-new-${sequence}@example.com`,
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
const otherwise = [`text-${sequence}`, true, 1, [], {}];

const accepts = (schema: Schema, value: unknown) => schema.safeParse?.(value).success ?? true;

function fieldsOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { def } = schema;
  if (def?.innerType) return fieldsOf(def.innerType);
  if (def?.left && def.right) return { ...fieldsOf(def.left), ...fieldsOf(def.right) };
  const [first] = def?.options ?? [];
  return first ? fieldsOf(first) : (schema.shape ?? {});
}

/** A body that an endpoint's schema accepts as far as one field at a time can show. */
export function accountBody(schema: unknown): Readonly<Record<string, unknown>> {
  const fields = Object.entries(fieldsOf((schema ?? {}) as Schema));
  const filled = fields.flatMap(([name, field]) => {
    const value = [known[name], ...otherwise].find(
      (one) => one !== undefined && accepts(field, one),
    );
    return value === undefined ? [] : [[name, value] as const];
  });
  // An endpoint that takes any field takes a name.
  return filled.length === 0 ? { name: known["name"] } : Object.fromEntries(filled);
}
