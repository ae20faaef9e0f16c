import type { GatewayStore } from "@device-gateway/core";
import type { MemoryState } from "@device-gateway/store-memory";
import fc from "fast-check";
import type { IdFields } from "./align.js";
import type { IdKind } from "./ids.js";

/** What a call's input is built from: the model's current state, and one side's numbers. */
export interface Side {
  /** The model's state before the call, the same for both sides. */
  readonly state: MemoryState;
  /** The current time. Each command has its own. */
  readonly now: number;
  /** Returns the model's numbers that are known on both sides, in ascending order. */
  known(kind: IdKind): readonly number[];
  /** Returns this side's number for a number of the model. */
  number(kind: IdKind, model: number): number;
  /** Returns an earlier cursor of this side's change feed, or null. */
  cursor(part: number): string | null;
}

/** The input of one call, computed when the call is made. */
export interface Draft<Input> {
  toInput(side: Side): Input;
  /** The generated values, for the report. */
  readonly text: string;
}

export interface Recipe<Input, Output> {
  readonly drafts: fc.Arbitrary<Draft<Input>>;
  /** Fields of the answer that are numbers chosen by the store. */
  readonly ids?: IdFields;
  /** Returns the part of an answer that the port promises. Default: all of it. */
  readonly promised?: (output: Output) => unknown;
  /** For a method that deletes at most `limit` items: returns how many it deleted. The call repeats until this is 0. */
  readonly drains?: (output: Output) => number;
  /** Does what maintenance does before this call. */
  readonly first?: (store: GatewayStore, input: Input) => Promise<void>;
}

/** Builds inputs from values that fast-check generates and from the model's state at the time of the call. */
export const drafted = <Input, Generated>(
  generated: fc.Arbitrary<Generated>,
  toInput: (generated: Generated, side: Side) => Input,
): fc.Arbitrary<Draft<Input>> =>
  generated.map((one) => ({ text: fc.stringify(one), toInput: (side) => toInput(one, side) }));

/** A recipe for every method of a port. A missing recipe does not compile. */
export type RecipesOf<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (
    input: infer Input,
  ) => Promise<infer Output>
    ? Recipe<Input, Output>
    : never;
};

/** Picks a known number at a relative place from 0 to 1. Returns 0 if there is none. */
export const pick = (side: Side, kind: IdKind, part: number): number => {
  const known = side.known(kind);
  const model = known[Math.min(known.length - 1, Math.floor(part * known.length))];
  return model === undefined ? 0 : side.number(kind, model);
};
