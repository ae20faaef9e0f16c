import { signal } from "@preact/signals";
import type { PeopleAnswer } from "../site-answer.js";
import { fetchInTime } from "./fetch-in-time.js";

/** The e-mail addresses of users that an operator has seen, by their id. */
export const emails = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();

async function readPeople(query: URLSearchParams): Promise<PeopleAnswer["people"] | undefined> {
  const response = await fetchInTime(`/api/site/people?${query}`).catch(() => undefined);
  if (!response?.ok) return undefined;
  return ((await response.json()) as PeopleAnswer).people;
}

/** Reads the addresses of users. An id that is no account's is asked for once. */
export async function findEmails(ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)].filter((id) => !asked.has(id));
  if (wanted.length === 0) return;
  for (const id of wanted) asked.add(id);
  const people = await readPeople(new URLSearchParams(wanted.map((id) => ["id", id])));
  const found = (people ?? []).map(({ id, email }) => [id, email] as const);
  emails.value = new Map([...emails.value, ...found]);
}

/** Returns the id of the account with an address. Null if there is none, undefined if the server does not answer. */
export async function findUserId(email: string): Promise<string | null | undefined> {
  const people = await readPeople(new URLSearchParams({ email }));
  return people && (people[0]?.id ?? null);
}
