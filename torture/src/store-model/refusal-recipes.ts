import type { RefusalStore } from "@device-gateway/core/store";
import fc from "fast-check";
import { deviceIds, freeText, minuteMs } from "./pools.js";
import { drafted, type RecipesOf } from "./recipe.js";

const agos = fc.constantFrom(null, 0, minuteMs);
const since = (ago: number | null, now: number) => (ago === null ? 0 : now - ago);

const refusals = fc.uniqueArray(
  fc.record({
    code: fc.constantFrom("too_deep", "invalid_seq", "malformed_json"),
    message: freeText,
    count: fc.constantFrom(1, 500),
  }),
  { maxLength: 3, selector: ({ code }) => code },
);

export const refusalRecipes: RecipesOf<RefusalStore> = {
  add: {
    drafts: drafted(fc.record({ deviceId: deviceIds, ago: agos, refusals }), (draft, { now }) => ({
      deviceId: draft.deviceId,
      now,
      since: since(draft.ago, now),
      refusals: draft.refusals,
    })),
  },
  list: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, ago: agos }),
      ({ deviceId, ago }, { now }) => ({
        deviceId,
        from: since(ago, now),
      }),
    ),
  },
  latest: {
    drafts: drafted(
      fc.array(fc.record({ deviceId: deviceIds, ago: agos }), { maxLength: 4 }),
      (devices, { now }) =>
        devices.map(({ deviceId, ago }) => ({ deviceId, from: since(ago, now) })),
    ),
  },
};
