/** How long a call goes on clearing away: what is left goes with a later one. */
const patienceMs = 800;

/** When the patience of a call that begins now ends, on the clock of `performance.now()`. */
export const endOfPatience = (): number => performance.now() + patienceMs;

/**
 * Deletes rows, up to `step` at once, until fewer are found. False when patience ends before: there
 * may be more.
 */
export async function inSteps(
  step: number,
  deleteSome: () => Promise<number>,
  deadline = endOfPatience(),
): Promise<boolean> {
  while (performance.now() < deadline) {
    if ((await deleteSome()) < step) return true;
  }
  return false;
}
