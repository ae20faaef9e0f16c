import { createHash } from "node:crypto";
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { patienceMs } from "../load/bounded-wait.js";

/** A device that downloads an image slowly and resumes after an interruption. */
export interface SlowDownload {
  /** Number of interruptions. */
  readonly cuts: number;
  /** Other errors. */
  readonly faults: readonly string[];
  /** Resolves when the first piece has arrived. */
  readonly begun: Promise<void>;
  /** Resolves when the image is downloaded. True if it is correct. */
  readonly done: Promise<boolean>;
  /** Reads on. Until then the device takes only the first piece, so that its server stops before the end of the image. */
  goOn(): void;
  /** Downloads the rest at full speed, and gives up if that takes too long. */
  hurry(): void;
}

export interface SlowDownloadOptions {
  /** Where the download begins. */
  readonly first: string;
  /** Where it is resumed. */
  readonly url: string;
  readonly token: string;
  readonly facts: { readonly sha256: string; readonly size: number };
  /** The pause after each piece. */
  readonly pauseMs: number;
}

export function startSlowDownload(options: SlowDownloadOptions): SlowDownload {
  const { first, url, token, pauseMs } = options;
  const { sha256, size } = options.facts;
  const pieces: Buffer[] = [];
  const faults: string[] = [];
  let [have, cuts, slow] = [0, 0, true];
  let etag: string | undefined;
  const giveUp = new AbortController();
  let [reportBegun, goOn] = [() => {}, () => {}];
  const begun = new Promise<void>((resolve) => {
    reportBegun = resolve;
  });
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });

  const resume = () =>
    new Promise<void>((resolve) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(etag !== undefined && { range: `bytes=${have}-`, "if-range": etag }),
      };
      const { signal } = giveUp;
      const place = etag === undefined ? first : url;
      const sent = request(place, { headers, agent: false, signal }, (answer) => {
        if (answer.statusCode !== (have > 0 ? 206 : 200)) {
          if (answer.statusCode !== 503) faults.push(`${answer.statusCode} from byte ${have} on`);
          answer.resume().on("close", resolve);
          return;
        }
        etag = answer.headers.etag;
        answer.on("data", (piece: Buffer) => {
          pieces.push(piece);
          have += piece.length;
          reportBegun();
          if (!slow) return;
          answer.pause();
          void held.then(() => wait(slow ? pauseMs : 0)).then(() => answer.resume());
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
    begun,
    done: takeAll(),
    goOn,
    hurry() {
      slow = false;
      goOn();
      const stop = () => {
        faults.push(`not complete after ${patienceMs} ms`);
        giveUp.abort();
      };
      setTimeout(stop, patienceMs).unref();
    },
  };
}
