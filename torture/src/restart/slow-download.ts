import { createHash } from "node:crypto";
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** A device that downloads an image slowly and resumes after an interruption. */
export interface SlowDownload {
  /** Number of interruptions. */
  readonly cuts: number;
  /** Other errors. */
  readonly faults: readonly string[];
  /** Resolves when the image is downloaded. True if it is correct. */
  readonly done: Promise<boolean>;
  /** Downloads the rest at full speed. */
  hurry(): void;
}

/** Starts a download that pauses for `pauseMs` after each piece. */
export function startSlowDownload(
  url: string,
  token: string,
  { sha256, size }: { readonly sha256: string; readonly size: number },
  pauseMs: number,
): SlowDownload {
  const pieces: Buffer[] = [];
  const faults: string[] = [];
  let [have, cuts, slow] = [0, 0, true];
  let etag: string | undefined;

  const resume = () =>
    new Promise<void>((resolve) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(etag !== undefined && { range: `bytes=${have}-`, "if-range": etag }),
      };
      const sent = request(url, { headers, agent: false }, (answer) => {
        if (answer.statusCode !== (have > 0 ? 206 : 200)) {
          if (answer.statusCode !== 503) faults.push(`${answer.statusCode} from byte ${have} on`);
          answer.resume().on("close", resolve);
          return;
        }
        etag = answer.headers.etag;
        answer.on("data", (piece: Buffer) => {
          pieces.push(piece);
          have += piece.length;
          if (!slow) return;
          answer.pause();
          setTimeout(() => answer.resume(), pauseMs);
        });
        answer.on("error", () => {
          cuts += 1;
        });
        answer.on("close", resolve);
      });
      // The server may not be listening at the moment.
      sent.on("error", () => resolve());
      sent.end();
    });

  async function takeAll(): Promise<boolean> {
    while (have < size && faults.length === 0) {
      await resume();
      if (have < size) await wait(20);
    }
    return createHash("sha256").update(Buffer.concat(pieces)).digest("hex") === sha256;
  }
  return {
    get cuts() {
      return cuts;
    },
    faults,
    done: takeAll(),
    hurry() {
      slow = false;
    },
  };
}
