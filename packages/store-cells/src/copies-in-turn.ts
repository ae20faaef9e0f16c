/** What the caller of a copy needs. */
export interface CopyRequest {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether the cells must have the copies at the end, also those that another process is copying to. */
  readonly mustComplete: boolean;
}

/**
 * Makes a function that runs one copy at a time. Calls during a copy share the next one, because the copy in progress may have
 * read the log before their changes.
 */
export function copyInTurn(
  copy: (request: CopyRequest) => Promise<void>,
): (request: CopyRequest) => Promise<void> {
  let current: Promise<void> | undefined;
  let next: { request: CopyRequest; readonly done: Promise<void> } | undefined;

  function begin(request: CopyRequest): Promise<void> {
    const done = copy(request).finally(() => {
      current = undefined;
    });
    current = done;
    return done;
  }

  function beginNext(): Promise<void> {
    const { request } = next as NonNullable<typeof next>;
    next = undefined;
    return begin(request);
  }

  return (request) => {
    if (next !== undefined) {
      const { at, mustComplete } = next.request;
      next.request = {
        at: Math.max(at, request.at),
        mustComplete: mustComplete || request.mustComplete,
      };
      return next.done;
    }
    if (current === undefined) return begin(request);
    next = { request, done: current.then(beginNext, beginNext) };
    return next.done;
  };
}
