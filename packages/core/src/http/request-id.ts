import { toBase64Url } from "../bytes.js";
import type { Random } from "../ports/random.js";

/** The caller's own request id if it is a sane one, else a fresh one (contract §0). */
export function requestIdOf(sent: string | undefined, random: Random): string {
  if (sent !== undefined && /^[\w.:-]{1,128}$/.test(sent)) return sent;
  return toBase64Url(random.bytes(12));
}
