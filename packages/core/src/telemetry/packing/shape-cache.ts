import { createBoundedCache } from "../../shared/bounded-cache.js";
import type { JsonObject } from "../../shared/json.js";
import { type RecordShape, toRecordShape } from "./record-shape.js";
import { shapeBounds } from "./shape-bounds.js";
import { createWeightedCache } from "./weighted-cache.js";

/** A record without its names, and the number of the shape that has them. */
export interface PackedRecord {
  readonly shape: number;
  readonly packed: Uint8Array;
}

/** What a store calls a device. */
type Sender = string | number;

/** Remembers the shapes that a store numbers. */
export interface ShapeCache {
  /** Packs a record if it has its sender's last shape, or one of those that were used last by any. */
  pack(sender: Sender, record: JsonObject): PackedRecord | undefined;
  find(shape: number): RecordShape | undefined;
  /** Remembers a shape, and that it is its sender's last one if a sender is given. */
  add(shape: number, skeleton: string, sender?: Sender): RecordShape;
  /** Forgets all, when what was added may have been rolled back. */
  clear(): void;
}

interface Candidate {
  readonly shape: number;
  readonly known: RecordShape;
}

export function createShapeCache(): ShapeCache {
  const shapes = createWeightedCache<number, RecordShape>(shapeBounds.inMemory);
  /** The one that was used last first. */
  const recent: Candidate[] = [];
  /** Numbers only, so that a sender does not keep a shape in memory. */
  const lastOf = createBoundedCache<number, Sender>(shapeBounds.senders);

  return {
    pack(sender, record) {
      const last = lastOf.get(sender);
      const lastKnown = last === undefined ? undefined : shapes.get(last);
      const asLast = lastKnown?.pack(record);
      if (last !== undefined && asLast !== undefined) return { shape: last, packed: asLast };
      for (let n = 0; n < recent.length; n++) {
        const candidate = recent[n] as Candidate;
        if (candidate.known === lastKnown) continue;
        const packed = candidate.known.pack(record);
        if (packed === undefined) continue;
        lastOf.set(sender, candidate.shape);
        if (n > 0) {
          recent.splice(n, 1);
          recent.unshift(candidate);
        }
        return { shape: candidate.shape, packed };
      }
      return undefined;
    },
    find: (shape) => shapes.get(shape),
    add(shape, skeleton, sender) {
      if (sender !== undefined) lastOf.set(sender, shape);
      const known = shapes.get(shape) ?? toRecordShape(skeleton);
      shapes.set(shape, known, skeleton.length);
      const place = recent.findIndex((candidate) => candidate.shape === shape);
      if (place >= 0) recent.splice(place, 1);
      recent.unshift({ shape, known });
      recent.length = Math.min(recent.length, shapeBounds.guesses);
      return known;
    },
    clear() {
      shapes.clear();
      recent.length = 0;
      lastOf.clear();
    },
  };
}
