import type { Result } from "neverthrow";
import type { ClientError } from "./client-error.js";
import { isPassing, type Patience, waitBefore } from "./retry.js";

/**
 * Repeats a request while what went wrong may pass. One that is not safe to repeat is so only
 * after 429, which the server gives before it does anything.
 */
export async function retrying<Value, Failure extends ClientError>(
  patience: Patience,
  isSafe: boolean,
  send: () => PromiseLike<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  for (let attempt = 0; ; attempt++) {
    const result = await send();
    if (result.isOk()) return result;
    const { error } = result;
    const mayRepeat = isPassing(error) && (isSafe || error.status === 429);
    const waitMs = mayRepeat ? waitBefore(attempt, error, patience) : null;
    if (waitMs === null || attempt + 1 >= patience.retry.tries) return result;
    patience.onRetry(error, waitMs);
    await patience.sleep(waitMs);
  }
}
