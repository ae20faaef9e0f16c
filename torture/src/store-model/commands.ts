import type fc from "fast-check";
import { Ids } from "./ids.js";
import { call } from "./recipes.js";
import {
  answerOf,
  compareAnswers,
  count,
  Divergence,
  describeCall,
  type GeneratedCall,
  type Model,
  storeOf,
  type Tested,
  toInputs,
} from "./sides.js";
import { compareSnapshots, takeGlance, takeSnapshot } from "./snapshot.js";

export type PortCommand = fc.AsyncCommand<Model, Tested>;

/** Compares the complete contents of both stores, and their change feeds since the last comparison. */
export async function compareStates(model: Model, { handles }: Tested): Promise<void> {
  const [ofModel, ofStore] = [storeOf(model.state), handles[0]];
  const found = compareSnapshots(
    await takeSnapshot(ofModel, model.now),
    await takeSnapshot(ofStore, model.now),
    model.ids,
  );
  if (found !== null) throw new Divergence(found);
  const last = model.cursors.at(-1);
  const wanted = await ofModel.changes.since(last?.model ?? null);
  const actual = await ofStore.changes.since(last?.store ?? null);
  model.cursors.push({ model: wanted.cursor, store: actual.cursor });
  if (wanted.kind !== actual.kind) {
    throw new Divergence(`the change feed returns ${actual.kind}, expected ${wanted.kind}`);
  }
  if (wanted.kind === "reset" || actual.kind === "reset") return;
  // A change may be listed twice, but none may be missing.
  const missing = wanted.deviceIds.filter((deviceId) => !actual.deviceIds.includes(deviceId));
  if (missing.length > 0 || (wanted.releasesChanged && !actual.releasesChanged)) {
    throw new Divergence(`the change feed returns ${JSON.stringify(actual)} without ${missing}`);
  }
}

/** Makes one call on both sides and compares the answers. */
export const callOnce = (generated: GeneratedCall, handle: 0 | 1, waitMs: number): PortCommand => ({
  check: () => true,
  async run(model, { handles }) {
    model.now += waitMs;
    const { method } = generated;
    count(model, method);
    const inputs = toInputs(generated, model, model.now);
    const wanted = await answerOf(call(method, storeOf(model.state), inputs.model));
    const actual = await answerOf(call(method, handles[handle], inputs.store));
    const found = compareAnswers(method, wanted, actual, model.ids);
    if (found !== null) throw new Divergence(`${describeCall(generated, inputs.store)}${found}`);
    if (method.port === "changes") keepCursors(model, wanted, actual);
  },
  toString: () =>
    `${generated.method.port}.${generated.method.name} ${generated.draft.text} +${waitMs} ms, handle ${handle}`,
});

function keepCursors({ cursors }: Model, model: unknown, store: unknown): void {
  const cursorOf = (answer: unknown) => (answer as { cursor?: string } | null)?.cursor;
  const [ofModel, ofStore] = [cursorOf(model), cursorOf(store)];
  if (ofModel === undefined || ofStore === undefined) return;
  cursors.push({ model: ofModel, store: ofStore });
}

/** Gives the model's audit trail the store's order, because simultaneous calls may be listed in any order. */
function takeOrder({ state: { events }, ids }: Model): void {
  const numbers = events.map(({ id }) => id);
  const inOrder = events
    .map((event) => ({ event, store: ids.toStore("event", event.id) }))
    .sort((a, b) => a.store - b.store);
  const renumbered = inOrder.map(({ event }, n) => ({ ...event, id: numbers[n] as number }));
  events.splice(0, events.length, ...renumbered);
  ids.replace(
    "event",
    inOrder.map(({ store }, n) => [numbers[n] as number, store]),
  );
}

function* permutations(indexes: readonly number[]): Generator<readonly number[]> {
  if (indexes.length === 0) yield [];
  for (const index of indexes) {
    for (const rest of permutations(indexes.filter((other) => other !== index))) {
      yield [index, ...rest];
    }
  }
}

/** Makes several calls at once on both handles. The result must equal that of some sequential order. */
export const callTogether = (all: readonly GeneratedCall[], waitMs: number): PortCommand => ({
  check: () => true,
  async run(model, tested) {
    model.now += waitMs;
    const base = model.now;
    model.now += all.length;
    const inputs = all.map((generated, n) => toInputs(generated, model, base + n));
    for (const { method } of all) count(model, method);
    const answers = await Promise.all(
      all.map(({ method }, n) =>
        answerOf(call(method, tested.handles[n % 2 ? 1 : 0], inputs[n]?.store)),
      ),
    );
    const contents = await takeGlance(tested.handles[0]);

    const tried: string[] = [];
    for (const order of permutations([...all.keys()])) {
      const state = structuredClone(model.state);
      const ids = new Ids(model.ids);
      const store = storeOf(state);
      let found: string | null = null;
      for (const n of order) {
        const { method } = all[n] as GeneratedCall;
        const wanted = await answerOf(call(method, store, inputs[n]?.model));
        found = compareAnswers(method, wanted, answers[n], ids);
        if (found !== null) {
          found = `${method.port}.${method.name}${found}`;
          break;
        }
      }
      found ??= compareSnapshots(await takeGlance(store), contents, ids);
      if (found === null) {
        model.state = state;
        model.ids = ids;
        takeOrder(model);
        return;
      }
      tried.push(`${order}: ${found}`);
    }
    const calls = all.map((generated, n) => describeCall(generated, inputs[n]?.store));
    throw new Divergence(
      `no order of the simultaneous calls explains the result: ${tried.join("; ")}; calls: ${calls.join(" | ")}`,
    );
  },
  toString: () =>
    `at once: ${all.map(({ method, draft }) => `${method.port}.${method.name} ${draft.text}`).join(" | ")} +${waitMs} ms`,
});

/** Closes a handle and opens a new one, without its cached data. */
export const reopen = (handle: 0 | 1): PortCommand => ({
  check: () => true,
  async run(_, tested) {
    await tested.handles[handle].close();
    tested.handles[handle] = await tested.open();
    await tested.handles[handle].ping();
  },
  toString: () => `reopen handle ${handle}`,
});

/** Compares everything that can be read. */
export const lookAround: PortCommand = {
  check: () => true,
  run: compareStates,
  toString: () => "compare all",
};
