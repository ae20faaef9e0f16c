import type { DeviceMetadata, MetadataStore } from "@device-gateway/core/store";
import fc from "fast-check";
import { deviceIds, eventOf, freeText, json, limits, someDevices } from "./pools.js";
import { drafted, type RecipesOf } from "./recipe.js";

const keys = fc.constantFrom("site", "tariff");

const toMetadata = (values: DeviceMetadata["values"], now: number): DeviceMetadata => ({
  values,
  setAt: Object.fromEntries(Object.keys(values).map((key) => [key, now])),
});

export const metadataRecipes: RecipesOf<MetadataStore> = {
  find: { drafts: drafted(deviceIds, (deviceId) => deviceId) },
  replace: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        values: fc.option(json),
        index: fc.dictionary(keys, freeText),
        isStale: fc.constantFrom(false, false, false, true),
      }),
      ({ deviceId, values, index, isStale }, side) => ({
        deviceId,
        expected: isStale
          ? toMetadata({ stale: true }, side.now)
          : (side.state.metadata.get(deviceId)?.content ?? null),
        next: values && toMetadata(values, side.now),
        // A device without metadata has no index entries.
        index: values === null ? {} : index,
        event: eventOf(side, deviceId, "device.metadata_changed", { keys: Object.keys(index) }),
      }),
    ),
  },
  listDevices: {
    drafts: drafted(
      fc.record({
        key: keys,
        value: freeText,
        after: fc.constantFrom("", ...someDevices),
        limit: limits,
      }),
      (input) => input,
    ),
    ids: { releaseId: "release" },
  },
};
