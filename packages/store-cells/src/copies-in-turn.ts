/**
 * Makes a function that runs one copy at a time. Calls during a copy share the next one, because the copy in progress may have
 * read the log before their changes. `at`: epoch milliseconds.
 */
export function copyInTurn<Outcome>(
  copy: (at: number) => Promise<Outcome>,
): (at: number) => Promise<Outcome> {
  let current: Promise<unknown> | undefined;
  let next: { at: number; readonly done: Promise<Outcome> } | undefined;

  function begin(at: number): Promise<Outcome> {
    const done = copy(at).finally(() => {
      current = undefined;
    });
    current = done;
    return done;
  }

  function beginNext(): Promise<Outcome> {
    const { at } = next as NonNullable<typeof next>;
    next = undefined;
    return begin(at);
  }

  return (at) => {
    if (next !== undefined) {
      next.at = Math.max(next.at, at);
      return next.done;
    }
    if (current === undefined) return begin(at);
    next = { at, done: current.then(beginNext, beginNext) };
    return next.done;
  };
}
