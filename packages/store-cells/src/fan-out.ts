import { type CellStore, StoreUnavailableError } from "@device-gateway/core/store";

type Stores = readonly CellStore[];

/** Calls all stores at once, merges their pages in an order, and returns the first `limit` items. Rejects if a store does. */
export async function mergePages<Item>(
  stores: Stores,
  read: (store: CellStore) => Promise<readonly Item[]>,
  compare: (a: Item, b: Item) => number,
  limit: number,
): Promise<readonly Item[]> {
  const pages = await Promise.all(stores.map(read));
  return pages.flat().sort(compare).slice(0, limit);
}

/**
 * Runs work of at most `limit` items on one store after the other, on all of them even if one fails.
 * @throws the first error, if the other stores have nothing left. So a caller that repeats full steps completes their work.
 */
export async function workInTurn(
  stores: Stores,
  limit: number,
  work: (store: CellStore, limit: number) => Promise<number>,
): Promise<number> {
  let done = 0;
  const failures: unknown[] = [];
  for (const store of stores) {
    if (done >= limit) break;
    try {
      done += await work(store, limit - done);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0 && done < limit) throw failures[0];
  return done;
}

/**
 * Asks all stores at once for something that at most one of them has. Returns the first answer that counts, else the
 * answer of the first store.
 * @throws if no answer counts and a store failed, because that store might have had it.
 */
export async function askAll<Answer>(
  stores: Stores,
  ask: (store: CellStore) => Promise<Answer>,
  counts: (answer: Answer) => boolean,
): Promise<Answer> {
  const settled = await Promise.allSettled(stores.map(ask));
  const answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const found = answers.findIndex(counts);
  if (found !== -1) return answers[found] as Answer;
  const failure = settled.find((one) => one.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return answers[0] as Answer;
}

/** Calls all stores at once and returns the answers of those that are available, with the stores' numbers. */
export async function askAvailable<Answer>(
  stores: Stores,
  ask: (store: CellStore, index: number) => Promise<Answer>,
): Promise<readonly { readonly index: number; readonly answer: Answer }[]> {
  const settled = await Promise.allSettled(stores.map(ask));
  return settled.flatMap((one, index) => {
    if (one.status === "fulfilled") return [{ index, answer: one.value }];
    if (one.reason instanceof StoreUnavailableError) return [];
    throw one.reason;
  });
}

/** Asks each cell once about its devices, and returns the answers in the order of the devices. */
export async function askByCell<Device extends { readonly deviceId: string }, Answer>(
  devices: readonly Device[],
  of: (deviceId: string) => CellStore,
  ask: (cell: CellStore, devices: readonly Device[]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const groups = new Map<CellStore, number[]>();
  for (const [index, { deviceId }] of devices.entries()) {
    const cell = of(deviceId);
    groups.set(cell, [...(groups.get(cell) ?? []), index]);
  }
  const answers: Answer[] = [];
  await Promise.all(
    [...groups].map(async ([cell, indexes]) => {
      const found = await ask(
        cell,
        indexes.map((index) => devices[index] as Device),
      );
      for (const [n, index] of indexes.entries()) answers[index] = found[n] as Answer;
    }),
  );
  return answers;
}
