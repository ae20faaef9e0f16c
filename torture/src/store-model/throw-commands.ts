import fc from "fast-check";
import { callOnce, callTogether, lookAround, type PortCommand, reopen } from "./commands.js";
import { hourMs, minuteMs } from "./pools.js";
import { methods } from "./recipes.js";
import type { Thrown } from "./twins.js";

/** What most of the others need to have happened, or goes wrong in the most ways. */
const frequent: Readonly<Record<string, number>> = {
  "devices.register": 6,
  "telemetry.append": 6,
  "updates.report": 4,
  "releases.create": 2,
  "releases.change": 4,
  "claims.claim": 2,
  "budgets.reserve": 3,
  "telemetry.aggregate": 2,
  "telemetry.rollUp": 2,
};

const handles = fc.constantFrom(0 as const, 1 as const);
const waits = fc.constantFrom(1, 1, 1, 1_000, minuteMs, 20 * minuteMs, hourMs);

const each = methods.map((method) => ({
  weight: frequent[`${method.port}.${method.name}`] ?? 1,
  isDrain: method.recipe.drains !== undefined,
  thrown: method.recipe.drafts.map((draft): Thrown => ({ method, draft })),
}));

/** A drain is many calls: between two of them others have their turn. */
const racers = fc.oneof(
  ...each
    .filter(({ isDrain }) => !isDrain)
    .map(({ weight, thrown }) => ({ weight, arbitrary: thrown })),
);

/** Releases that are created at once: their ids may be in another order than the audit trail's. */
const areTold = (all: readonly Thrown[]) =>
  all.filter(({ method: { port, name } }) => port === "releases" && name === "create").length < 2;

/** One of each kind, as often as it is wanted. */
export const commandArbitraries: readonly fc.Arbitrary<PortCommand>[] = [
  ...each.flatMap(({ weight, thrown }) =>
    Array.from({ length: weight }, () =>
      fc.tuple(thrown, handles, waits).map((parts) => callOnce(...parts)),
    ),
  ),
  ...Array.from({ length: 10 }, () =>
    fc
      .tuple(fc.array(racers, { minLength: 2, maxLength: 4, size: "max" }).filter(areTold), waits)
      .map((parts) => callTogether(...parts)),
  ),
  handles.map(reopen),
  ...Array.from({ length: 4 }, () => fc.constant(lookAround)),
];
