import type { Auth } from "./create-auth.js";

/** An account as operators see it in the audit trail. */
export interface Person {
  readonly id: string;
  readonly email: string;
}

/** Which accounts to find: those with one of these ids, or the one with an address. */
export type PeopleQuery = { readonly ids: readonly string[] } | { readonly email: string };
export type FindPeople = (query: PeopleQuery) => Promise<readonly Person[]>;

/** The most accounts that one call finds. A page of the audit trail has at most as many. */
const maxPeople = 100;

export const createFindPeople =
  (auth: Pick<Auth, "$context">): FindPeople =>
  async (query) => {
    const { adapter } = await auth.$context;
    const where =
      "ids" in query
        ? [{ field: "id", operator: "in" as const, value: query.ids.slice(0, maxPeople) }]
        : // better-auth stores addresses in lower case.
          [{ field: "email", value: query.email.toLowerCase() }];
    const found = await adapter.findMany<Person>({ model: "user", where, limit: maxPeople });
    return found.map(({ id, email }) => ({ id, email }));
  };
