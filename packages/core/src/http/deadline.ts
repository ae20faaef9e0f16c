/** Thrown when an answer takes too long. What was asked may still happen. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Settles as `work` does, or rejects with a `DeadlineError` after so many seconds. */
export function withDeadline<T>(work: Promise<T>, seconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new DeadlineError(`No answer within ${seconds} s.`));
    const timer = setTimeout(give, seconds * 1000);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
