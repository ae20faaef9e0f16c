import { StoreUnavailableError } from "@device-gateway/core/store";

/** When nothing was heard for so long, and a call has waited as long, the database is silent. */
const silenceMs = 900;
/** How long a silent database is left alone before one call asks it again. */
const restMs = 500;

/** Keeps callers from waiting, one call after the other, for a database of which nothing comes. */
export interface Silence {
  /** Runs a call; refuses it at once while the database is silent, but for one now and then that asks it. */
  guard<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** An answer came, be it an error. */
  noteAnswer(): void;
}

export function createSilence(): Silence {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isSilent = false;
  let restsUntil = 0;
  let isAsked = false;

  return {
    noteAnswer() {
      answeredAt = performance.now();
      isSilent = false;
    },
    async guard(call) {
      const startedAt = performance.now();
      if (isSilent && (isAsked || startedAt < restsUntil)) {
        throw new StoreUnavailableError("The database is silent: it is asked again in a moment.");
      }
      const asks = isSilent;
      if (asks) isAsked = true;
      try {
        return await call();
      } catch (error) {
        const now = performance.now();
        const waited = error instanceof StoreUnavailableError && now - startedAt >= silenceMs;
        if (waited && now - answeredAt >= silenceMs) {
          isSilent = true;
          restsUntil = now + restMs;
        }
        throw error;
      } finally {
        if (asks) isAsked = false;
      }
    },
  };
}
