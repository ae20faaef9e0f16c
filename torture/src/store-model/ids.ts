/** What stores number as they like, in the order of commit. */
export const idKinds = ["release", "event", "otaEvent", "position"] as const;
export type IdKind = (typeof idKinds)[number];
const ofDevice: ReadonlySet<IdKind> = new Set(["event", "otaEvent", "position"]);

/**
 * Which number of the model's is which of a store's: stores may leave numbers out, but never turn
 * their order round; those of `ofDevice` keep it among one device's, which are compared in their order.
 */
export class Ids {
  private readonly byModel: Record<IdKind, Map<number, number>>;

  constructor(other?: Ids) {
    this.byModel = Object.fromEntries(
      idKinds.map((kind) => [kind, new Map(other?.byModel[kind])]),
    ) as Record<IdKind, Map<number, number>>;
  }

  /** Every number of the model's that was seen in an answer, in order. */
  known(kind: IdKind): readonly number[] {
    return [...this.byModel[kind].keys()].sort((a, b) => a - b);
  }

  /** The store's number; what the model never gave out is the same on both sides. */
  toStore(kind: IdKind, model: number): number {
    return this.byModel[kind].get(model) ?? model;
  }

  /** Forgets what stood for what, for pairs that hold from now on. */
  replace(kind: IdKind, pairs: Iterable<readonly [model: number, store: number]>): void {
    this.byModel[kind] = new Map(pairs);
  }

  /** Takes note that two numbers stand for one thing; says what is wrong with that, or null. */
  pair(kind: IdKind, model: number, store: number): string | null {
    const pairs = this.byModel[kind];
    const before = pairs.get(model);
    if (before === store) return null;
    if (before !== undefined) return `${kind} ${model} was ${before}, and is ${store} now`;
    for (const [otherModel, otherStore] of pairs) {
      const isTurned = !ofDevice.has(kind) && otherModel < model !== otherStore < store;
      if (isTurned || otherStore === store) {
        return `${kind} ${store} stands for ${model}, and ${otherStore} for ${otherModel}`;
      }
    }
    pairs.set(model, store);
    return null;
  }
}
