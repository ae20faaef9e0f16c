/**
 * Whoever sends a record chooses its shape. A record beyond these bounds is stored whole, as text.
 * A shape counts for the device's owner at the time when it is first stored, or for the device if nobody
 * owns it, until it is dropped. Every device may use every shape that is stored.
 */
export const shapeBounds = {
  /** Shapes that one device uses in its records and roll-ups, whoever introduced them. */
  perDevice: 64,
  /** Shapes that one unclaimed device introduces. */
  perUnclaimedDevice: 16,
  /** Shapes that all unclaimed devices introduce. */
  unclaimed: 2_000,
  /** Shapes that all devices of one owner introduce. */
  perOwner: 256,
  /** Shapes that all claimed devices introduce. Unclaimed devices cannot use this reserve up. */
  claimed: 8_000,
  /** UTF-16 code units of a skeleton. */
  skeletonLength: 16_384,
  /** UTF-16 code units of skeletons that a process remembers in one cache. */
  inMemory: 2_000_000,
  /** Shapes that a record is tried with before its skeleton is written. */
  guesses: 16,
  /** Devices whose last shape a process remembers. */
  senders: 100_000,
} as const;
