import type { GatewayStore } from "@device-gateway/core/store";

/** Two handles over one storage, like those of two processes or connections. */
export type StoreHandles = readonly [GatewayStore, GatewayStore];

/** A check of one promise of the store ports. */
export interface StoreCase {
  readonly name: string;
  /** Whether many callers race. A store that checks and then acts without a lock fails such a case. */
  readonly races: boolean;
  /** Rejects with an assertion error if the store breaks the promise. The storage must be empty. */
  run(handles: StoreHandles): Promise<void>;
}

type Run = StoreCase["run"];
export const toCase = (name: string, run: Run): StoreCase => ({ name, races: false, run });
export const toRace = (name: string, run: Run): StoreCase => ({ name, races: true, run });

/** Starts `racers` concurrent calls, alternating between the handles. Waits for all of them, also if one fails. */
export async function race<Outcome>(
  handles: StoreHandles,
  racers: number,
  call: (store: GatewayStore, racer: number) => Promise<Outcome>,
): Promise<Outcome[]> {
  const calls = Array.from({ length: racers }, (_, racer) =>
    call(handles[racer % 2 ? 1 : 0], racer),
  );
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/** Opens the connections of both handles, because slow first calls would hide races. */
export async function warmUp(handles: StoreHandles): Promise<void> {
  await race(handles, 32, (store) => store.ping());
}

/** Returns the index of the only outcome of this kind, or -1 if there is none or more than one. */
export function onlyIndexOf(outcomes: readonly { kind: string }[], kind: string): number {
  const indexes = outcomes.flatMap((outcome, index) => (outcome.kind === kind ? [index] : []));
  return indexes.length === 1 ? (indexes[0] ?? -1) : -1;
}

/**
 * Reads page after page until `writing` has ended and a page is empty. Each page starts after the last item of the
 * one before. Returns all items.
 */
export async function follow<Item>(
  writing: Promise<unknown>,
  readAfter: (last: Item | undefined) => Promise<readonly Item[]>,
): Promise<Item[]> {
  let written = false;
  const end = writing.finally(() => {
    written = true;
  });
  // It may reject while a page is read. It is awaited below.
  end.catch(() => {});
  const seen: Item[] = [];
  try {
    for (;;) {
      const wasWritten = written;
      const page = await readAfter(seen.at(-1));
      seen.push(...page);
      if (wasWritten && page.length === 0) break;
      // Lets timers run, because a store may wait for one.
      await new Promise<void>((resolve) => setTimeout(resolve));
    }
  } finally {
    await end;
  }
  return seen;
}
