/** How long one call deletes, in milliseconds. A later call deletes the rest. */
const timeoutMs = 800;

/** Returns when a call that begins now stops deleting, on the clock of `performance.now()`. */
export const deletionDeadline = (): number => performance.now() + timeoutMs;

/**
 * Calls `deleteSome`, which deletes up to `step` rows, until it deletes fewer. Returns false if the
 * deadline passes first: more rows may be left.
 */
export async function deleteInSteps(
  step: number,
  deleteSome: () => Promise<number>,
  deadline = deletionDeadline(),
): Promise<boolean> {
  while (performance.now() < deadline) {
    if ((await deleteSome()) < step) return true;
  }
  return false;
}
