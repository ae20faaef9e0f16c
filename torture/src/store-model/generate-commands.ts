import fc from "fast-check";
import { callOnce, callTogether, lookAround, type PortCommand, reopen } from "./commands.js";
import { hourMs, minuteMs } from "./pools.js";
import { methods } from "./recipes.js";
import type { GeneratedCall } from "./sides.js";

/** Weights of methods that most others depend on, or that can fail in the most ways. Default: 1. */
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
  generated: method.recipe.drafts.map((draft): GeneratedCall => ({ method, draft })),
}));

/** Methods for simultaneous calls. A draining method is several calls, between which others may run. */
const racers = fc.oneof(
  ...each
    .filter(({ isDrain }) => !isDrain)
    .map(({ weight, generated }) => ({ weight, arbitrary: generated })),
);

/** Excludes simultaneous creations of releases, whose ids may have another order than the audit trail. */
const isComparable = (all: readonly GeneratedCall[]) =>
  all.filter(({ method: { port, name } }) => port === "releases" && name === "create").length < 2;

/** Calls every method once, in the order of the table of recipes. A failure names its call, so these are not shortened. */
export const everyMethod: fc.Arbitrary<readonly PortCommand[]> = fc.noShrink(
  fc.tuple(
    ...each.map(({ generated }) =>
      fc.tuple(generated, handles).map(([call, handle]) => callOnce(call, handle, 1)),
    ),
  ),
);

/** All kinds of commands, repeated by weight. */
export const commandArbitraries: readonly fc.Arbitrary<PortCommand>[] = [
  ...each.flatMap(({ weight, generated }) =>
    Array.from({ length: weight }, () =>
      fc.tuple(generated, handles, waits).map((parts) => callOnce(...parts)),
    ),
  ),
  ...Array.from({ length: 10 }, () =>
    fc
      .tuple(
        fc.array(racers, { minLength: 2, maxLength: 4, size: "max" }).filter(isComparable),
        waits,
      )
      .map((parts) => callTogether(...parts)),
  ),
  handles.map(reopen),
  ...Array.from({ length: 4 }, () => fc.constant(lookAround)),
];
