import type { Random } from "../ports/random.js";

const maxSeconds = 60;

/**
 * Returns the wait plus a random number of seconds: at most half of it (but at least 1), and at most 60. So clients
 * that were refused together do not retry together.
 */
export function spreadSeconds(random: Random, seconds: number): number {
  const max = Math.min(maxSeconds, Math.max(1, Math.ceil(seconds / 2)));
  const [byte = 0] = random.bytes(1);
  return seconds + (byte % (max + 1));
}
