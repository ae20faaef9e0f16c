import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { createMemoryStore, type MemoryState } from "@device-gateway/store-memory";
import { findDifference, type IdFields } from "./align.js";
import type { Ids } from "./ids.js";
import type { Draft, Side } from "./recipe.js";
import type { Method } from "./recipes.js";

/** The model: the memory store's state, and the mapping to the other store's numbers. */
export interface Model {
  state: MemoryState;
  ids: Ids;
  now: number;
  /** Cursors of the change feeds of both sides, oldest first. */
  readonly cursors: { readonly model: string; readonly store: string }[];
  /** Number of calls so far, by method. */
  calls: Map<string, number>;
}

/** The store under test, as two handles over one storage. */
export interface Tested {
  readonly handles: [GatewayStore, GatewayStore];
  open(): Promise<GatewayStore>;
}

export class Divergence extends Error {
  override readonly name = "Divergence";
}

/** A generated call. */
export interface GeneratedCall {
  readonly method: Method;
  readonly draft: Draft<unknown>;
}

export const storeOf = (state: MemoryState): GatewayStore => createMemoryStore(state);

/** Computes a call's input for both sides. */
export function toInputs(
  { draft }: GeneratedCall,
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

/** Returns the first difference in the promised parts of two answers, or null. */
export function compareAnswers({ recipe }: Method, model: unknown, store: unknown, ids: Ids) {
  const promised = recipe.promised ?? ((output) => output);
  return compareValues(promised(model), promised(store), ids, recipe.ids ?? {});
}

const compareValues = (model: unknown, store: unknown, ids: Ids, fields: IdFields) =>
  findDifference({ answer: model }, { answer: store }, ids, fields);

/** The store was unavailable, which is allowed. Whether the call was done is unknown, so the sequence ends. */
export class GaveUp extends Error {
  override readonly name = "GaveUp";
}

/** Turns a rejection into an answer, so that it is compared as well. */
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

export const describeCall = ({ method }: GeneratedCall, input: unknown): string =>
  `${method.port}.${method.name}(${JSON.stringify(input)})`;
