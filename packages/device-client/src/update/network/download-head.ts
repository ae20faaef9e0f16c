import type { ReleaseOffer } from "../offer/release-offer.js";
import type { OpenAnswer } from "../update-ports.js";

/** The status and headers of a response to a download. */
export interface DownloadHead {
  readonly status: number;
  header(name: string): string | null;
}

type Verdict =
  | { readonly kind: "opened"; readonly offset: number; readonly etag: string | null }
  | Exclude<OpenAnswer, { kind: "opened" }>
  /** The server cannot send the rest. Request the whole image. */
  | { readonly kind: "whole" };

const refused = (code: string, message: string): Verdict => ({
  kind: "download_refused",
  code,
  message,
});

const strongEtag = (etag: string | null) => (etag?.startsWith('"') ? etag : null);

function judgeLength({ header }: DownloadHead, expected: number): Verdict | null {
  const length = header("content-length");
  if (length === null || Number(length) === expected) return null;
  return refused("wrong_length", `Content-Length is ${length}, not ${expected}.`);
}

function judgeBody(head: DownloadHead, offer: ReleaseOffer, offset: number): Verdict {
  const encoding = head.header("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    return refused("encoded", `The image has the Content-Encoding ${encoding}. It must have none.`);
  }
  const sha256 = head.header("x-firmware-sha256");
  if (sha256 !== null && sha256.toLowerCase() !== offer.sha256) {
    return refused("hash_mismatch", `X-Firmware-SHA256 is ${sha256}, not that of the offer.`);
  }
  return (
    judgeLength(head, offer.size - offset) ?? {
      kind: "opened",
      offset,
      etag: strongEtag(head.header("etag")),
    }
  );
}

function judgePart(head: DownloadHead, offer: ReleaseOffer, offset: number): Verdict {
  const range = head.header("content-range");
  const expected = `bytes ${offset}-${offer.size - 1}/${offer.size}`;
  if (offset === 0 || range !== expected) {
    return refused("wrong_range", `Content-Range is ${range}, not ${expected}.`);
  }
  return judgeBody(head, offer, offset);
}

/**
 * The longest wait in seconds. A wrong Retry-After, or a wrong clock of the device, must not delay an update for days.
 */
const maxRetryAfterSeconds = 3_600;

/** Parses Retry-After, a number or a date, into seconds (RFC 9110 §10.2.3). Returns at most an hour. */
export function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null || text === "") return undefined;
  const number = Number(text);
  const seconds = Number.isFinite(number) ? number : Math.ceil((Date.parse(text) - now) / 1000);
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(maxRetryAfterSeconds, Math.max(0, seconds));
}

/** Checks the response to a download that requested the bytes from `offset` on (RFC 9110 §14). */
export function judgeDownloadHead(
  head: DownloadHead,
  { offer, offset, now }: { offer: ReleaseOffer; offset: number; now: number },
): Verdict {
  const { status } = head;
  if (status === 200) return judgeBody(head, offer, 0);
  if (status === 206) return judgePart(head, offer, offset);
  if (status === 416 && offset > 0) return { kind: "whole" };
  if (status === 404 || status === 410) {
    return { kind: "gone", message: `The image no longer exists: HTTP ${status}.` };
  }
  if (status === 401 || status === 408 || status === 429 || status >= 500) {
    const retryAfterSeconds = readRetryAfter(head.header("retry-after"), now);
    return {
      kind: "unavailable",
      message: `The server responded to the download with HTTP ${status}.`,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }
  return refused("unexpected_answer", `The server responded to the download with HTTP ${status}.`);
}
