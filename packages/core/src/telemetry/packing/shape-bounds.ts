/**
 * Limits of stored shapes. The sender of a record chooses its shape. A record beyond these limits is stored whole, as
 * text. A shape counts for the owner of the device that introduced it, or for the device if it has no owner, until
 * the shape is deleted. Every device can use every stored shape.
 */
export const shapeBounds = {
  /** Shapes that one device can use in its records and roll-ups, whichever device introduced them. */
  perDevice: 64,
  /** Shapes that one unclaimed device can introduce. */
  perUnclaimedDevice: 16,
  /** Shapes that all unclaimed devices together can introduce. */
  unclaimed: 2_000,
  /** Shapes that all devices of one owner can introduce. */
  perOwner: 256,
  /** Shapes that all claimed devices together can introduce. Unclaimed devices cannot use up this reserve. */
  claimed: 8_000,
  /** Length of a skeleton in UTF-16 code units. */
  skeletonLength: 16_384,
  /** Total length of the skeletons in one cache, in UTF-16 code units. */
  inMemory: 2_000_000,
  /** Shapes that are tried on a record before its skeleton is computed. */
  guesses: 16,
  /** Devices whose last shape a process remembers. */
  senders: 100_000,
} as const;
