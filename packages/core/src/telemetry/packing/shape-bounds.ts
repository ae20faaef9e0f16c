/** Whoever sends a record chooses its shape: beyond these, a record is kept as text. */
export const shapeBounds = {
  /** Shapes of one device's records and roll-ups. */
  perDevice: 64,
  /** Shapes of all devices together. */
  perGateway: 10_000,
  /** UTF-16 code units of a skeleton. */
  skeletonLength: 16_384,
  /** Shapes that a process remembers; the others are read again. */
  inMemory: 1_000,
  /** Shapes that a record is tried with before its skeleton is written. */
  guesses: 16,
  /** Devices whose last shape a process remembers. */
  senders: 100_000,
} as const;
