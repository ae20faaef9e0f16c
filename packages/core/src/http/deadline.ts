/** Thrown when an answer takes too long. What was asked may still happen. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Settles as `work` does, or rejects with a `DeadlineError` after so many seconds. */
export async function withDeadline<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new DeadlineError(`No answer within ${seconds} s.`));
    timer = setTimeout(give, seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
