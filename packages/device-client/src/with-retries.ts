import type { Result } from "neverthrow";
import type { ClientError } from "./client-error.js";
import { chooseWait, isTransient, type RetryContext } from "./retry.js";

/**
 * Repeats a request after transient errors. A request that is not safe to repeat is repeated only
 * after 429, which the server sends before the request takes effect.
 */
export async function withRetries<Value, Failure extends ClientError>(
  context: RetryContext,
  isSafe: boolean,
  send: () => PromiseLike<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  for (let attempt = 0; ; attempt++) {
    const result = await send();
    if (result.isOk()) return result;
    const { error } = result;
    const mayRepeat = isTransient(error) && (isSafe || error.status === 429);
    const waitMs = mayRepeat ? chooseWait(attempt, error, context) : null;
    if (waitMs === null || attempt + 1 >= context.retry.tries) return result;
    context.onRetry(error, waitMs);
    await context.sleep(waitMs);
  }
}
