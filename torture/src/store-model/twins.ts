import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { createMemoryStore, type MemoryState } from "@device-gateway/store-memory";
import { findDifference, type IdFields } from "./align.js";
import type { Ids } from "./ids.js";
import type { Draft, Side } from "./recipe.js";
import type { Method } from "./recipes.js";

/** The model: the memory store's state, and what is known of the other store's numbers. */
export interface Model {
  state: MemoryState;
  ids: Ids;
  now: number;
  /** Of the change feed, on either side, oldest first. */
  readonly cursors: { readonly model: string; readonly store: string }[];
  /** Calls so far, by method. */
  readonly calls: Map<string, number>;
}

/** The store under test: two handles over one storage. */
export interface Tested {
  readonly handles: [GatewayStore, GatewayStore];
  open(): Promise<GatewayStore>;
}

export class Divergence extends Error {
  override readonly name = "Divergence";
}

/** A call with what is thrown for it. */
export interface Thrown {
  readonly method: Method;
  readonly draft: Draft<unknown>;
}

export const storeOf = (state: MemoryState): GatewayStore => createMemoryStore(state);

/** What the call is given on either side. */
export function toInputs(
  { draft }: Thrown,
  { state, ids, cursors }: Model,
  now: number,
): { readonly model: unknown; readonly store: unknown } {
  const known = (kind: Parameters<Ids["known"]>[0]) => ids.known(kind);
  const cursorAt = (part: number) => cursors[Math.floor(part * (cursors.length - 1))];
  const model: Side = {
    state,
    now,
    known,
    number: (_, id) => id,
    cursor: (part) => cursorAt(part)?.model ?? null,
  };
  const store: Side = {
    state,
    now,
    known,
    number: (kind, id) => ids.toStore(kind, id),
    cursor: (part) => cursorAt(part)?.store ?? null,
  };
  return { model: draft.toInput(model), store: draft.toInput(store) };
}

/** Where two answers to a call differ, in what the port promises; null if they don't. */
export function compareAnswers({ recipe }: Method, model: unknown, store: unknown, ids: Ids) {
  const promised = recipe.promised ?? ((output) => output);
  return compareValues(promised(model), promised(store), ids, recipe.ids ?? {});
}

const compareValues = (model: unknown, store: unknown, ids: Ids, fields: IdFields) =>
  findDifference({ answer: model }, { answer: store }, ids, fields);

/** The store says that it can't answer now, as it may: what came of the call is anybody's guess. */
export class GaveUp extends Error {
  override readonly name = "GaveUp";
}

/** Makes a rejection an answer that can be compared, so that none goes by. */
export async function answerOf(running: Promise<unknown>): Promise<unknown> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof StoreUnavailableError) {
      throw new GaveUp(error.message, { cause: error });
    }
    return { rejected: error instanceof Error ? `${error.name}: ${error.message}` : error };
  }
}

export const count = ({ calls }: Model, { port, name }: Method): void => {
  const full = `${port}.${name}`;
  calls.set(full, (calls.get(full) ?? 0) + 1);
};

export const describeCall = ({ method }: Thrown, input: unknown): string =>
  `${method.port}.${method.name}(${JSON.stringify(input)})`;
