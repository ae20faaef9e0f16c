export interface Batcher<Item> {
  add(item: Item): void;
  stop(): void;
}

/** Collects items and shows them in batches, each `everyMs` after its first item. */
export function createBatcher<Item>(
  show: (items: readonly Item[]) => void,
  everyMs: number,
): Batcher<Item> {
  let items: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(item) {
      items.push(item);
      timer ??= setTimeout(() => {
        const shown = items;
        items = [];
        timer = undefined;
        show(shown);
      }, everyMs);
    },
    stop: () => clearTimeout(timer),
  };
}
