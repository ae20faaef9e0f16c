import { shapeBounds } from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";

/** The device that introduces a shape, and its owner. */
export interface Introducer {
  readonly device: number;
  /** Null if nobody owns the device. */
  readonly ownerId: string | null;
}

/** Decides whether a device may introduce another shape (docs/decisions/0027-shape-quotas.md). */
export interface ShapeQuotas {
  /** Call it when a transaction begins. */
  begin(): void;
  /**
   * Returns whose quota a new shape of the device counts against, or undefined if a quota is used
   * up.
   */
  find(device: number): Introducer | undefined;
  /** Call it when a shape was introduced. */
  noteIntroduced(introducer: Introducer): void;
}

export function prepareShapeQuotas(database: Database): ShapeQuotas {
  const findOwner = database
    .prepare<[number], string | null>("SELECT owner_id FROM devices WHERE number = ?")
    .pluck();
  const prepareCount = <Parameters extends unknown[]>(condition: string) =>
    database
      .prepare<Parameters, number>(`SELECT count(*) FROM telemetry_shapes WHERE ${condition}`)
      .pluck();
  const ofDevice = prepareCount<[number]>("owner_id IS NULL AND device = ?");
  const ofUnclaimed = prepareCount<[]>("owner_id IS NULL");
  const ofOwner = prepareCount<[string]>("owner_id = ?");
  const ofClaimed = prepareCount<[]>("owner_id IS NOT NULL");
  /** Shapes of each kind. Counted once per transaction, because there are thousands. */
  const counts = new Map<"unclaimed" | "claimed", number>();
  /** Devices that may introduce no other shape. One device may send hundreds of shapes in a transaction. */
  const refused = new Set<number>();

  function hasRoomFor(kind: "unclaimed" | "claimed", count: () => number | undefined): boolean {
    const stored = counts.get(kind) ?? count() ?? 0;
    counts.set(kind, stored);
    return stored < shapeBounds[kind];
  }

  const hasRoom = ({ device, ownerId }: Introducer): boolean =>
    ownerId === null
      ? (ofDevice.get(device) ?? 0) < shapeBounds.perUnclaimedDevice &&
        hasRoomFor("unclaimed", () => ofUnclaimed.get())
      : (ofOwner.get(ownerId) ?? 0) < shapeBounds.perOwner &&
        hasRoomFor("claimed", () => ofClaimed.get());

  return {
    begin() {
      counts.clear();
      refused.clear();
    },
    find(device) {
      if (refused.has(device)) return undefined;
      const introducer = { device, ownerId: findOwner.get(device) ?? null };
      if (hasRoom(introducer)) return introducer;
      refused.add(device);
      return undefined;
    },
    noteIntroduced({ ownerId }) {
      const kind = ownerId === null ? "unclaimed" : "claimed";
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
  };
}
