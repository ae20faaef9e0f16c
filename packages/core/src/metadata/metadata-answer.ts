import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";
import { canonicalJson, type JsonObject } from "../shared/json.js";
import type { DeviceMetadata } from "./metadata-store.js";

export interface MetadataAnswer {
  /** Null if nothing was set. */
  readonly metadata: Record<string, unknown> | null;
  readonly metadataVersion: string;
}

/** Describes metadata for operators. The version changes exactly when the values do. */
export function toMetadataAnswer(stored: DeviceMetadata | null): MetadataAnswer {
  const values = stored?.values ?? null;
  const digest = sha256(toUtf8(canonicalJson(values)));
  return {
    metadata: values && { ...values },
    metadataVersion: toBase64Url(digest.subarray(0, 12)),
  };
}

/**
 * Returns what the owner of a device can read: the declared keys that were set at `from` or later. A later owner learns
 * nothing about a former one (§7).
 */
export function visibleMetadata(
  { values, setAt }: DeviceMetadata,
  readable: readonly string[],
  from: number,
): JsonObject {
  const times = new Map(Object.entries(setAt));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => readable.includes(key) && (times.get(key) ?? 0) >= from,
    ),
  );
}
