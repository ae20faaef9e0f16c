import type { Random } from "../ports/random.js";

const mostSeconds = 60;

/**
 * Returns a wait that is up to half longer, at most a minute, and never shorter. Clients that were refused together
 * then do not return together.
 */
export function spreadSeconds(random: Random, seconds: number): number {
  const most = Math.min(mostSeconds, Math.max(1, Math.ceil(seconds / 2)));
  const [byte = 0] = random.bytes(1);
  return seconds + (byte % (most + 1));
}
