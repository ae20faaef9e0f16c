import { StoreUnavailableError } from "@device-gateway/core/store";

/**
 * The circuit opens when a call has waited this long and the database answered nothing meanwhile,
 * in milliseconds.
 */
const openAfterMs = 900;
/** How long the circuit stays open before one call tries the database again, in milliseconds. */
const retryAfterMs = 500;

/** A circuit breaker. It spares callers from waiting for a database that does not answer. */
export interface CircuitBreaker {
  /**
   * Runs a call. While the circuit is open, it rejects calls at once, except for one trial call now
   * and then.
   */
  run<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** Records that the database answered, with a result or an error. */
  recordAnswer(): void;
}

export function createCircuitBreaker(): CircuitBreaker {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  let openUntil = 0;
  let isTrying = false;

  return {
    recordAnswer() {
      answeredAt = performance.now();
      isOpen = false;
    },
    async run(call) {
      const startedAt = performance.now();
      if (isOpen && (isTrying || startedAt < openUntil)) {
        throw new StoreUnavailableError(
          "The database does not answer. The gateway tries it again in a moment.",
        );
      }
      const isTrial = isOpen;
      if (isTrial) isTrying = true;
      try {
        return await call();
      } catch (error) {
        const now = performance.now();
        const waited = error instanceof StoreUnavailableError && now - startedAt >= openAfterMs;
        if (waited && now - answeredAt >= openAfterMs) {
          isOpen = true;
          openUntil = now + retryAfterMs;
        }
        throw error;
      } finally {
        if (isTrial) isTrying = false;
      }
    },
  };
}
