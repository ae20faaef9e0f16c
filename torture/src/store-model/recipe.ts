import type { GatewayStore } from "@device-gateway/core";
import type { MemoryState } from "@device-gateway/store-memory";
import fc from "fast-check";
import type { IdFields } from "./align.js";
import type { IdKind } from "./ids.js";

/** What a call's input is made of: the model as it stands, and one side's numbers for things. */
export interface Side {
  /** The model's state before the call, for both sides alike. */
  readonly state: MemoryState;
  /** The core's clock; each command has a moment of its own. */
  readonly now: number;
  /** The model's numbers that are known on both sides, in order. */
  known(kind: IdKind): readonly number[];
  /** This side's number for the model's. */
  number(kind: IdKind, model: number): number;
  /** A cursor of the change feed that this side gave out; null: none. */
  cursor(part: number): string | null;
}

/** The input of one call, worked out when its turn comes. */
export interface Draft<Input> {
  toInput(side: Side): Input;
  /** What was thrown. */
  readonly text: string;
}

export interface Recipe<Input, Output> {
  readonly drafts: fc.Arbitrary<Draft<Input>>;
  /** Numbers that the store gives out, in its answers. */
  readonly ids?: IdFields;
  /** What of an answer the port promises; default: all of it. */
  readonly promised?: (output: Output) => unknown;
  /** Deletes at most `limit`, whichever comes first: called until it says that nothing was left. */
  readonly drains?: (output: Output) => number;
  /** What maintenance does before it. */
  readonly first?: (store: GatewayStore, input: Input) => Promise<void>;
}

/** Inputs made of what fast-check throws, and of what the model holds when the call's turn comes. */
export const drafted = <Input, Thrown>(
  thrown: fc.Arbitrary<Thrown>,
  toInput: (thrown: Thrown, side: Side) => Input,
): fc.Arbitrary<Draft<Input>> =>
  thrown.map((one) => ({ text: fc.stringify(one), toInput: (side) => toInput(one, side) }));

/** A recipe for every method of a port: one without does not compile. */
export type RecipesOf<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (
    input: infer Input,
  ) => Promise<infer Output>
    ? Recipe<Input, Output>
    : never;
};

/** One of what the side gave out, at that part of it, 0 to 1; 0 without any. */
export const pick = (side: Side, kind: IdKind, part: number): number => {
  const known = side.known(kind);
  const model = known[Math.min(known.length - 1, Math.floor(part * known.length))];
  return model === undefined ? 0 : side.number(kind, model);
};
