import type { Random } from "../../ports/random.js";
import { toBase64Url } from "../../shared/bytes.js";

const idBytes = 12;
/** Length of 12 bytes in base64url. 12 is a multiple of 3, so no two ids share a byte. */
const idLength = 16;
/** One call of the random generator costs the same for one id as for many. */
const idsPerDraw = 256;

const validId = /^[\w.:-]{1,128}$/;

/** Creates a function that returns the caller's request id if it is valid, and a new one otherwise (§0). */
export function createRequestIds(random: Random): (sent: string | undefined) => string {
  let drawn = "";
  let at = 0;
  return (sent) => {
    if (sent !== undefined && validId.test(sent)) return sent;
    if (at >= drawn.length) {
      drawn = toBase64Url(random.bytes(idBytes * idsPerDraw));
      at = 0;
    }
    at += idLength;
    return drawn.slice(at - idLength, at);
  };
}
