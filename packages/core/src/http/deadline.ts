/** Thrown when an answer takes too long. What was asked may still happen. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** A time for an answer that begins anew, or stands still while a body is on its way. */
export interface Deadline {
  pause(): void;
  restart(): void;
}

/** Settles as `work` does, or rejects with a `DeadlineError` after so many seconds. */
export async function withDeadline<T>(
  work: (deadline: Deadline) => Promise<T>,
  seconds: number,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  let give = () => {};
  const late = new Promise<never>((_, reject) => {
    give = () => reject(new DeadlineError(`No answer within ${seconds} s.`));
  });
  const pause = () => clearTimeout(timer);
  const restart = () => {
    pause();
    if (!over) timer = setTimeout(give, seconds * 1000);
  };
  restart();
  try {
    return await Promise.race([work({ pause, restart }), late]);
  } finally {
    over = true;
    pause();
  }
}
