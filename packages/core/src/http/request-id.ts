import type { Random } from "../ports/random.js";
import { toBase64Url } from "../shared/bytes.js";

const idBytes = 12;
/** Of 12 bytes in base64url: no byte is shared by two ids. */
const idLength = 16;
/** A call to the generator costs as much for one id as for many. */
const drawnAtOnce = 256;

const sane = /^[\w.:-]{1,128}$/;

/** Gives each request the caller's own id if it is a sane one, else a fresh one (contract §0). */
export function createRequestIds(random: Random): (sent: string | undefined) => string {
  let drawn = "";
  let at = 0;
  return (sent) => {
    if (sent !== undefined && sane.test(sent)) return sent;
    if (at >= drawn.length) {
      drawn = toBase64Url(random.bytes(idBytes * drawnAtOnce));
      at = 0;
    }
    at += idLength;
    return drawn.slice(at - idLength, at);
  };
}
