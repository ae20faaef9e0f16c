import type { GatewayStore } from "@device-gateway/core/store";

/** Two handles over one storage, as two processes or two connections would have. */
export type StoreHandles = readonly [GatewayStore, GatewayStore];

/** One promise of the ports, and how to see whether a store keeps it. */
export interface StoreCase {
  readonly name: string;
  /** Whether it lets many callers race: a store that checks, then acts, fails it. */
  readonly races: boolean;
  /** Rejects with an assertion error when the promise is broken. Expects an empty storage. */
  run(handles: StoreHandles): Promise<void>;
}

type Run = StoreCase["run"];
export const toCase = (name: string, run: Run): StoreCase => ({ name, races: false, run });
export const toRace = (name: string, run: Run): StoreCase => ({ name, races: true, run });

/** Starts so many calls at once, in turn on either handle. */
export function race<Outcome>(
  handles: StoreHandles,
  racers: number,
  call: (store: GatewayStore, racer: number) => Promise<Outcome>,
): Promise<Outcome[]> {
  return Promise.all(
    Array.from({ length: racers }, (_, racer) => call(handles[racer % 2 ? 1 : 0], racer)),
  );
}

/** Uses both handles once, many times at once: cold connections would hide races. */
export async function warmUp(handles: StoreHandles): Promise<void> {
  await race(handles, 32, (store) => store.ping());
}

/** The place of the only outcome of that kind; -1 when there is none or more than one. */
export function onlyIndexOf(outcomes: readonly { kind: string }[], kind: string): number {
  const places = outcomes.flatMap((outcome, place) => (outcome.kind === kind ? [place] : []));
  return places.length === 1 ? (places[0] ?? -1) : -1;
}

/**
 * Reads page after page while `writing` goes on, each from where the last one ended, and gives
 * back what it saw until an empty page after the end of writing.
 */
export async function follow<Item>(
  writing: Promise<unknown>,
  readAfter: (last: Item | undefined) => Promise<readonly Item[]>,
): Promise<Item[]> {
  let written = false;
  const end = writing.finally(() => {
    written = true;
  });
  const seen: Item[] = [];
  for (;;) {
    const wasWritten = written;
    const page = await readAfter(seen.at(-1));
    seen.push(...page);
    if (wasWritten && page.length === 0) break;
    // Lets timers run too: a store may be waiting on one.
    await new Promise<void>((resolve) => setTimeout(resolve));
  }
  await end;
  return seen;
}
