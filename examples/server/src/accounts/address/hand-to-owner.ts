import type { AuthContext } from "better-auth";

type Tables = AuthContext["tables"];
interface Owner {
  readonly id: string;
  readonly email: string;
}

const keptFields = new Set(["email", "emailVerified", "createdAt", "updatedAt"]);

/** Returns the user's fields with their default values. */
function blankFields({ user }: Tables, email: string): Record<string, unknown> {
  const blank: Record<string, unknown> = {};
  for (const [name, { defaultValue }] of Object.entries(user?.fields ?? {})) {
    if (keptFields.has(name)) continue;
    blank[name] = (typeof defaultValue === "function" ? defaultValue() : defaultValue) ?? null;
  }
  // A user needs a name. The address is the only field that certainly belongs to the owner.
  return { ...blank, name: email };
}

/** Returns every column that refers to the user: in sessions, second factors and linked accounts. */
function referringColumns(tables: Tables): { model: string; field: string }[] {
  return Object.entries(tables).flatMap(([model, { fields }]) =>
    Object.entries(fields)
      .filter(([, { references }]) => references?.model === tables["user"]?.modelName)
      .map(([field]) => ({ model, field })),
  );
}

/**
 * Verifies the account of a user who has just reset the password by mail. Somebody else may have signed up with the
 * address, so this deletes everything set before: name, sessions, factors and pending changes. Only the new password
 * stays. Does nothing if the account was already verified.
 */
export async function handToOwner(
  { adapter, tables }: Pick<AuthContext, "adapter" | "tables">,
  { id, email }: Owner,
): Promise<void> {
  await adapter.transaction(async (transaction) => {
    const proven = await transaction.updateMany({
      model: "user",
      where: [
        { field: "id", value: id },
        { field: "emailVerified", value: false },
      ],
      update: { ...blankFields(tables, email), emailVerified: true },
    });
    if (proven === 0) return;
    for (const { model, field } of referringColumns(tables)) {
      const where = [{ field, value: id }];
      const others = { field: "providerId", operator: "ne" as const, value: "credential" };
      const kept = model === "account" ? [others] : [];
      await transaction.deleteMany({ model, where: [...where, ...kept] });
    }
    await transaction.deleteMany({ model: "verification", where: [{ field: "value", value: id }] });
  });
}
