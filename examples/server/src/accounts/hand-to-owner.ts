import type { AuthContext } from "better-auth";

type Tables = AuthContext["tables"];
interface Owner {
  readonly id: string;
  readonly email: string;
}

const keptFields = new Set(["email", "emailVerified", "createdAt", "updatedAt"]);

/** The user's fields as they are in an account that nobody has filled in. */
function blankFields({ user }: Tables, email: string): Record<string, unknown> {
  const blank: Record<string, unknown> = {};
  for (const [name, { defaultValue }] of Object.entries(user?.fields ?? {})) {
    if (keptFields.has(name)) continue;
    blank[name] = (typeof defaultValue === "function" ? defaultValue() : defaultValue) ?? null;
  }
  // A user needs a name, and the address is the only thing that its owner has chosen.
  return { ...blank, name: email };
}

/** Each table with a column that refers to the user: sessions, second factors, linked accounts. */
function referringColumns(tables: Tables): { model: string; field: string }[] {
  return Object.entries(tables).flatMap(([model, { fields }]) =>
    Object.entries(fields)
      .filter(([, { references }]) => references?.model === tables["user"]?.modelName)
      .map(([field]) => ({ model, field })),
  );
}

/**
 * Verifies an account whose owner has just reset the password by mail. Whoever signed up may be
 * somebody else, so everything set before is removed: name, sessions, factors and pending changes.
 * Only the new password stays. Does nothing to an account that was verified before.
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
      const stays = model === "account" ? [others] : [];
      await transaction.deleteMany({ model, where: [...where, ...stays] });
    }
    await transaction.deleteMany({ model: "verification", where: [{ field: "value", value: id }] });
  });
}
