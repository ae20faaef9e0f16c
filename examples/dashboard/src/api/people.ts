import { computed, signal } from "@preact/signals";
import { account } from "../session.js";
import type { PeopleAnswer } from "../site-answer.js";
import { fetchInTime } from "./fetch-in-time.js";

/** The e-mail addresses of users that an operator has seen, by their id. */
export const emails = signal<ReadonlyMap<string, string>>(new Map());
/** The ids that were asked for. */
let asked = new Set<string>();
// Several people may use one tab, one after another.
computed(() => account.value?.email).subscribe(() => {
  emails.value = new Map();
  asked = new Set();
});

async function readPeople(query: URLSearchParams): Promise<PeopleAnswer["people"] | undefined> {
  const response = await fetchInTime(`/api/site/people?${query}`).catch(() => undefined);
  if (!response?.ok) return undefined;
  return ((await response.json()) as PeopleAnswer).people;
}

/** Reads the addresses of users. An id that is no account's is asked for once, and again only if the server did not answer. */
export async function findEmails(ids: readonly string[]): Promise<void> {
  const own = asked;
  const wanted = [...new Set(ids)].filter((id) => !own.has(id));
  if (wanted.length === 0) return;
  for (const id of wanted) own.add(id);
  const people = await readPeople(new URLSearchParams(wanted.map((id) => ["id", id])));
  if (people === undefined) for (const id of wanted) own.delete(id);
  // Another user has signed in.
  if (people === undefined || own !== asked) return;
  const found = people.map(({ id, email }) => [id, email] as const);
  emails.value = new Map([...emails.value, ...found]);
}

/** Returns the id of the account with an address. Null if there is none, undefined if the server does not answer. */
export async function findUserId(email: string): Promise<string | null | undefined> {
  const people = await readPeople(new URLSearchParams({ email }));
  return people && (people[0]?.id ?? null);
}
