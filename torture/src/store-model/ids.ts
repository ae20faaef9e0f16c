/** Things that stores number in the order of commit, each with its own numbers. */
export const idKinds = ["release", "event", "otaEvent", "position"] as const;
export type IdKind = (typeof idKinds)[number];
const ofDevice: ReadonlySet<IdKind> = new Set(["event", "otaEvent", "position"]);

/**
 * Maps the model's numbers to the store's. A store may skip numbers but must keep their order. Numbers in
 * `ofDevice` keep it only within one device, which the comparison of that device's lists checks.
 */
export class Ids {
  private readonly byModel: Record<IdKind, Map<number, number>>;

  constructor(other?: Ids) {
    this.byModel = Object.fromEntries(
      idKinds.map((kind) => [kind, new Map(other?.byModel[kind])]),
    ) as Record<IdKind, Map<number, number>>;
  }

  /** Returns the model's numbers that occurred in answers, in ascending order. */
  known(kind: IdKind): readonly number[] {
    return [...this.byModel[kind].keys()].sort((a, b) => a - b);
  }

  /** Returns the store's number. A number that the model never used is the same on both sides. */
  toStore(kind: IdKind, model: number): number {
    return this.byModel[kind].get(model) ?? model;
  }

  /** Replaces all pairs of a kind. */
  replace(kind: IdKind, pairs: Iterable<readonly [model: number, store: number]>): void {
    this.byModel[kind] = new Map(pairs);
  }

  /** Records that two numbers identify the same thing. Returns what is wrong with that, or null. */
  pair(kind: IdKind, model: number, store: number): string | null {
    const pairs = this.byModel[kind];
    const before = pairs.get(model);
    if (before === store) return null;
    if (before !== undefined) return `${kind} ${model} was ${before} before, and is ${store} now`;
    for (const [otherModel, otherStore] of pairs) {
      const isTurned = !ofDevice.has(kind) && otherModel < model !== otherStore < store;
      if (isTurned || otherStore === store) {
        return `${kind}: ${store} maps to ${model}, but ${otherStore} to ${otherModel}`;
      }
    }
    pairs.set(model, store);
    return null;
  }
}
