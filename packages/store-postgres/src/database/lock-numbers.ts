/** The sequences whose ids readers follow, with the tags of their advisory locks (see `commit-order.ts`). */
export const sequenceTags = { transition_ids: 0x4447, telemetry_positions: 0x4448 } as const;

/** Classes of advisory locks with two keys. They never collide with locks of one key, as above. */
export const lockClasses = {
  migration: 0x4447,
  deviceId: 0x4448,
  budget: 0x4449,
  partition: 0x444a,
  shapes: 0x444b,
  alertRules: 0x444d,
} as const;
