import type { Random } from "../ports/random.js";

const mostSeconds = 60;

/**
 * Returns a wait that is at random up to half longer, but at most one minute longer. It is never shorter. So clients that
 * were refused together do not retry together.
 */
export function spreadSeconds(random: Random, seconds: number): number {
  const most = Math.min(mostSeconds, Math.max(1, Math.ceil(seconds / 2)));
  const [byte = 0] = random.bytes(1);
  return seconds + (byte % (most + 1));
}
