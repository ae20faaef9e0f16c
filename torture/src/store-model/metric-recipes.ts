import type { GatewayStore, MetricDescriptions } from "@device-gateway/core/store";
import fc from "fast-check";
import { awkwardText } from "../../../packages/testing/src/conformance/samples/awkward-values.js";
import { eventOf, hardware } from "./pools.js";
import { drafted, type RecipesOf } from "./recipe.js";

const descriptions: fc.Arbitrary<MetricDescriptions> = fc.constantFrom(
  {},
  { voltage: { unit: "V" } },
  { "cells.*": { displayName: awkwardText, decimals: 3, min: -0.5, max: 1e308 } },
);

export const metricRecipes: RecipesOf<GatewayStore["metrics"]> = {
  find: { drafts: drafted(hardware, (targetHardware) => targetHardware) },
  replace: {
    drafts: drafted(
      fc.record({
        targetHardware: hardware,
        next: fc.option(descriptions),
        isStale: fc.constantFrom(false, false, false, true),
      }),
      ({ targetHardware, next, isStale }, side) => {
        const expected = isStale
          ? { stale: { unit: "V" } }
          : (side.state.metrics.get(targetHardware) ?? null);
        return {
          targetHardware,
          expected,
          // A hardware without descriptions gets some.
          next: expected === null ? (next ?? {}) : next,
          event: eventOf(side, "", "metrics.described", { targetHardware }),
        };
      },
    ),
  },
};
