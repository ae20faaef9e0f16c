import type fc from "fast-check";
import { Ids } from "./ids.js";
import { call } from "./recipes.js";
import { compareSnapshots, takeGlance, takeSnapshot } from "./snapshot.js";
import {
  answerOf,
  compareAnswers,
  count,
  Divergence,
  describeCall,
  type Model,
  storeOf,
  type Tested,
  type Thrown,
  toInputs,
} from "./twins.js";

export type PortCommand = fc.AsyncCommand<Model, Tested>;

/** Compares all that either side holds, and what their change feeds say since last time. */
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
  const said = await ofStore.changes.since(last?.store ?? null);
  model.cursors.push({ model: wanted.cursor, store: said.cursor });
  if (wanted.kind !== said.kind) {
    throw new Divergence(`the change feed says ${said.kind}, should say ${wanted.kind}`);
  }
  if (wanted.kind === "reset" || said.kind === "reset") return;
  // Some may come twice; none may be missing.
  const missing = wanted.deviceIds.filter((deviceId) => !said.deviceIds.includes(deviceId));
  if (missing.length > 0 || (wanted.releasesChanged && !said.releasesChanged)) {
    throw new Divergence(`the change feed says ${JSON.stringify(said)} without ${missing}`);
  }
}

/** One call on either side, and what they answer. */
export const callOnce = (thrown: Thrown, handle: 0 | 1, waitMs: number): PortCommand => ({
  check: () => true,
  async run(model, { handles }) {
    model.now += waitMs;
    const { method } = thrown;
    count(model, method);
    const inputs = toInputs(thrown, model, model.now);
    const wanted = await answerOf(call(method, storeOf(model.state), inputs.model));
    const said = await answerOf(call(method, handles[handle], inputs.store));
    const found = compareAnswers(method, wanted, said, model.ids);
    if (found !== null) throw new Divergence(`${describeCall(thrown, inputs.store)}${found}`);
    keepCursors(model, wanted, said);
  },
  toString: () =>
    `${thrown.method.port}.${thrown.method.name} ${thrown.draft.text} +${waitMs} ms, handle ${handle}`,
});

function keepCursors({ cursors }: Model, model: unknown, store: unknown): void {
  const cursorOf = (answer: unknown) => (answer as { cursor?: string } | null)?.cursor;
  const [ofModel, ofStore] = [cursorOf(model), cursorOf(store)];
  if (ofModel === undefined || ofStore === undefined) return;
  cursors.push({ model: ofModel, store: ofStore });
}

/** The audit trail is one list: where calls at once may stand in any order, the model takes the store's. */
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

/** Several calls at once on both handles: what comes of them must be what some order gives. */
export const callTogether = (all: readonly Thrown[], waitMs: number): PortCommand => ({
  check: () => true,
  async run(model, tested) {
    model.now += waitMs;
    const base = model.now;
    model.now += all.length;
    const inputs = all.map((thrown, n) => toInputs(thrown, model, base + n));
    for (const { method } of all) count(model, method);
    const said = await Promise.all(
      all.map(({ method }, n) =>
        answerOf(call(method, tested.handles[n % 2 ? 1 : 0], inputs[n]?.store)),
      ),
    );
    const held = await takeGlance(tested.handles[0]);

    const tried: string[] = [];
    for (const order of permutations([...all.keys()])) {
      const state = structuredClone(model.state);
      const ids = new Ids(model.ids);
      const store = storeOf(state);
      let found: string | null = null;
      for (const n of order) {
        const { method } = all[n] as Thrown;
        const wanted = await answerOf(call(method, store, inputs[n]?.model));
        found = compareAnswers(method, wanted, said[n], ids);
        if (found !== null) {
          found = `${method.port}.${method.name}${found}`;
          break;
        }
      }
      found ??= compareSnapshots(await takeGlance(store), held, ids);
      if (found === null) {
        model.state = state;
        model.ids = ids;
        takeOrder(model);
        return;
      }
      tried.push(`${order}: ${found}`);
    }
    const calls = all.map((thrown, n) => describeCall(thrown, inputs[n]?.store));
    throw new Divergence(
      `at once, as in no order: ${tried.join("; ")}; calls: ${calls.join(" | ")}`,
    );
  },
  toString: () =>
    `at once: ${all.map(({ method, draft }) => `${method.port}.${method.name} ${draft.text}`).join(" | ")} +${waitMs} ms`,
});

/** A handle is closed and opened anew: what it kept in memory is gone. */
export const reopen = (handle: 0 | 1): PortCommand => ({
  check: () => true,
  async run(_, tested) {
    await tested.handles[handle].close();
    tested.handles[handle] = await tested.open();
    await tested.handles[handle].ping();
  },
  toString: () => `reopen handle ${handle}`,
});

/** Everything that can be read is compared. */
export const lookAround: PortCommand = {
  check: () => true,
  run: compareStates,
  toString: () => "compare all",
};
