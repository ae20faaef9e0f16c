import type { Turn } from "../../shared/turn.js";
import type { PieceOfWork } from "./turns-by-site.js";

/** Measures the pieces of a long request. */
export interface PieceMeter {
  /** Ends a piece. The time before the first call of `begin` is not long work. */
  end(piece: Parameters<Turn>[0]): PieceOfWork;
  /** Begins the next piece. */
  begin(): void;
}

/** A long request rests for this many times as long as its piece took, like a site after an expensive request. */
const restFactor = 3;
const longestRestMs = 30;
/** Uncharged pieces in a row rest for at most this long together. Without a limit, large charts would take too long. */
const longestUnchargedRestMs = 100;

/** Creates a meter. `now` is a clock in milliseconds. */
export function createPieceMeter(now: () => number = () => performance.now()): PieceMeter {
  let begunAt: number | undefined;
  let unchargedMs = 0;
  let restLeftMs = longestUnchargedRestMs;
  return {
    end(piece = "charged") {
      const workedMs = begunAt === undefined ? 0 : now() - begunAt;
      const wantedMs = Math.min(restFactor * workedMs, longestRestMs);
      unchargedMs += workedMs;
      if (piece === "uncharged") {
        const restMs = Math.min(wantedMs, restLeftMs);
        restLeftMs -= restMs;
        return { restMs, chargedMs: 0 };
      }
      const chargedMs = unchargedMs;
      unchargedMs = 0;
      restLeftMs = longestUnchargedRestMs;
      return { restMs: wantedMs, chargedMs };
    },
    begin() {
      begunAt = now();
    },
  };
}
