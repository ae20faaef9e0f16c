import type { Turn } from "../../shared/turn.js";
import type { PieceOfWork } from "./turns-by-site.js";

/** Measures the pieces of a long request. */
export interface PieceMeter {
  /** Ends a piece. The time before the first call of `begin` is not long work. */
  end(piece: Parameters<Turn>[0]): PieceOfWork;
  /** Begins the next piece. */
  begin(): void;
}

/** Creates a meter. `now` is a clock in milliseconds. */
export function createPieceMeter(now: () => number = () => performance.now()): PieceMeter {
  let begunAt: number | undefined;
  let unchargedMs = 0;
  return {
    end(piece = "charged") {
      const workedMs = begunAt === undefined ? 0 : now() - begunAt;
      unchargedMs += workedMs;
      const chargedMs = piece === "charged" ? unchargedMs : 0;
      unchargedMs -= chargedMs;
      return { workedMs, chargedMs };
    },
    begin() {
      begunAt = now();
    },
  };
}
