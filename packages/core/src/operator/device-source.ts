import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Device } from "../device/device.js";
import type { SearchKey } from "../device/device-store.js";
import type { MetadataFilter } from "../metadata/metadata-rules.js";
import type { Failure } from "../shared/failure.js";
import { badCursor } from "../shared/page.js";
import { type DeviceFilter, searchTextOf, type TextMatch } from "./device-filter.js";

/** Reads candidates for a search from one index, in a fixed order. */
export interface DeviceSource {
  /** Reads the devices after a place. `""` is the start. */
  read(after: string, limit: number): Promise<Result<readonly Device[], BadCursor>>;
  placeOf(device: Device): string;
}
type BadCursor = Failure<"invalid_request">;

/** Above every text that begins with the prefix: the last code point is in no text. */
const endOf = ({ text, isPrefix }: TextMatch) => (isPrefix ? `${text}\u{10ffff}` : text);
const idOf = ({ deviceId }: Device) => deviceId;

/** The fields from the one with the most different values to the one with the fewest. */
const mostSelectiveFirst = [
  "name",
  "ownerId",
  "firmwareVersion",
  "targetHardware",
] as const satisfies readonly SearchKey[];

function byText(context: GatewayContext, by: SearchKey, match: TextMatch): DeviceSource {
  return {
    async read(place, limit) {
      const [, deviceId, value] = /^([^\n]+)\n(.*)$/s.exec(place) ?? [];
      if (place !== "" && (deviceId === undefined || value === undefined)) return err(badCursor);
      const after = deviceId !== undefined && value !== undefined ? { value, deviceId } : null;
      const range = { from: match.text, to: endOf(match) };
      return ok(await context.store.devices.search({ by, ...range, after, limit }));
    },
    placeOf: (device) => `${device.deviceId}\n${searchTextOf[by](device) ?? ""}`,
  };
}

function byId({ store }: GatewayContext, { text, isPrefix }: TextMatch): DeviceSource {
  return {
    async read(place, limit) {
      const first = place === "" && text !== "" ? await store.devices.find(text) : null;
      const found = first === null ? [] : [first];
      if (!isPrefix) return ok(found);
      const after = place === "" ? text : place;
      const later = await store.devices.list({ ownerId: null, after, limit });
      return ok(
        [...found, ...later.filter(({ deviceId }) => deviceId.startsWith(text))].slice(0, limit),
      );
    },
    placeOf: idOf,
  };
}

/** Chooses the index that finds the fewest devices besides the wanted ones. */
export function chooseSource(
  context: GatewayContext,
  filter: DeviceFilter,
  metadata: MetadataFilter | null,
): DeviceSource {
  const { devices, metadata: facts } = context.store;
  const { id, texts, revoked, claimed } = filter;
  const inOrderOfIds = (
    read: (range: { after: string; limit: number }) => Promise<readonly Device[]>,
  ): DeviceSource => ({
    read: async (after, limit) => ok(await read({ after, limit })),
    placeOf: idOf,
  });
  if (metadata !== null)
    return inOrderOfIds((range) => facts.listDevices({ ...metadata, ...range }));
  if (id !== undefined) return byId(context, id);
  if (revoked) return inOrderOfIds((range) => devices.listMarked({ mark: "revoked", ...range }));
  for (const key of mostSelectiveFirst) {
    const match = texts[key];
    if (match !== undefined) return byText(context, key, match);
  }
  if (claimed === false) {
    return inOrderOfIds((range) => devices.listMarked({ mark: "unclaimed", ...range }));
  }
  return inOrderOfIds((range) => devices.list({ ownerId: null, ...range }));
}
