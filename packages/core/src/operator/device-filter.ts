import type { Device } from "../device/device.js";
import type { SearchKey } from "../device/device-store.js";

/** A text that a device's field must equal, or begin with. */
export interface TextMatch {
  readonly text: string;
  readonly isPrefix: boolean;
}

/** What an operator searches for. An absent condition matches every device. */
export interface DeviceFilter {
  readonly id?: TextMatch;
  readonly texts: Readonly<Partial<Record<SearchKey, TextMatch>>>;
  readonly revoked?: boolean;
  readonly claimed?: boolean;
  /** Epoch milliseconds. A device that was never seen matches. */
  readonly lastSeenBefore?: number;
}

/** Parses a text with an optional `*` at its end, which stands for any further characters. */
export const toTextMatch = (text: string): TextMatch =>
  text.endsWith("*") ? { text: text.slice(0, -1), isPrefix: true } : { text, isPrefix: false };

/** Returns the text of a device by which it is found, or null if it has none. */
export const searchTextOf: Readonly<Record<SearchKey, (device: Device) => string | null>> = {
  name: ({ name }) => name,
  ownerId: ({ ownership }) => ownership?.ownerId ?? null,
  targetHardware: ({ profile }) => profile.targetHardware,
  firmwareVersion: ({ profile }) => profile.firmwareVersion,
};

const matchesText = ({ text, isPrefix }: TextMatch, actual: string | null) =>
  actual !== null && (isPrefix ? actual.startsWith(text) : actual === text);

/** Returns whether a device meets every condition. */
export function matchesFilter(filter: DeviceFilter, device: Device): boolean {
  const { id, texts, revoked, claimed, lastSeenBefore } = filter;
  const { deviceId, revokedAt, ownership, lastSeenAt } = device;
  return (
    (id === undefined || matchesText(id, deviceId)) &&
    Object.entries(texts).every(([key, match]) =>
      matchesText(match, searchTextOf[key as SearchKey](device)),
    ) &&
    (revoked === undefined || revoked === (revokedAt !== null)) &&
    (claimed === undefined || claimed === (ownership !== null)) &&
    (lastSeenBefore === undefined || (lastSeenAt ?? 0) < lastSeenBefore)
  );
}
