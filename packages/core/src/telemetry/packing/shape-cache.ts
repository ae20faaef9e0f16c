import { createBoundedCache } from "../../shared/bounded-cache.js";
import type { JsonObject } from "../../shared/json.js";
import { type RecordShape, toRecordShape } from "./record-shape.js";
import { shapeBounds } from "./shape-bounds.js";
import { createWeightedCache } from "./weighted-cache.js";

/** A record without its names, and the number of its shape. */
export interface PackedRecord {
  readonly shape: number;
  readonly packed: Uint8Array;
}

/** A store's key of a device. */
type Sender = string | number;

/** Remembers the shapes that a store has numbered. */
export interface ShapeCache {
  /** Packs a record with the last shape of its sender, or with a recently used one. Returns undefined if none fits. */
  pack(sender: Sender, record: JsonObject): PackedRecord | undefined;
  find(shape: number): RecordShape | undefined;
  /** Remembers a shape. If a sender is given, also remembers that it is the sender's last shape. */
  add(shape: number, skeleton: string, sender?: Sender): RecordShape;
  /** Forgets everything. Call it if what was added may have been rolled back. */
  clear(): void;
}

interface Candidate {
  readonly shape: number;
  readonly known: RecordShape;
}

/**
 * Creates the shape cache of one process.
 *
 * @example
 * const shapes = createShapeCache();
 */
export function createShapeCache(): ShapeCache {
  const shapes = createWeightedCache<number, RecordShape>(shapeBounds.inMemory);
  /** Most recently used first. */
  const recent: Candidate[] = [];
  /** Contains numbers only, so that a sender does not keep a shape in memory. */
  const lastShapeOf = createBoundedCache<number, Sender>(shapeBounds.senders);

  return {
    pack(sender, record) {
      const last = lastShapeOf.get(sender);
      const lastKnown = last === undefined ? undefined : shapes.get(last);
      const asLast = lastKnown?.pack(record);
      if (last !== undefined && asLast !== undefined) return { shape: last, packed: asLast };
      for (let n = 0; n < recent.length; n++) {
        const candidate = recent[n] as Candidate;
        if (candidate.known === lastKnown) continue;
        const packed = candidate.known.pack(record);
        if (packed === undefined) continue;
        lastShapeOf.set(sender, candidate.shape);
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
      if (sender !== undefined) lastShapeOf.set(sender, shape);
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
      lastShapeOf.clear();
    },
  };
}
