import type { FollowerStore } from "@device-gateway/core/store";
import fc from "fast-check";
import { freeText, minuteMs } from "./pools.js";
import { drafted, type RecipesOf } from "./recipe.js";

const names = fc.constantFrom("webhook:1", "sink");
const holders = fc.constantFrom("process-1", "process-2");

export const followerRecipes: RecipesOf<FollowerStore> = {
  take: {
    drafts: drafted(
      fc.record({ name: names, holder: holders, forMs: fc.constantFrom(1, minuteMs) }),
      ({ forMs, ...input }, { now }) => ({ ...input, at: now, until: now + forMs }),
    ),
  },
  advance: {
    drafts: drafted(
      fc.record({ name: names, holder: holders, cursor: freeText }),
      (input) => input,
    ),
  },
  release: { drafts: drafted(fc.record({ name: names, holder: holders }), (input) => input) },
  remove: { drafts: drafted(names, (name) => name) },
};
