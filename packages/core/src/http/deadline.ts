/** Thrown when an answer takes too long. What was asked may still happen. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** A time for an answer that begins anew, or stands still while a body is on its way. */
export interface Deadline {
  pause(): void;
  restart(): void;
}

/**
 * Settles as `work` does, or rejects with a `DeadlineError` after so many seconds; what comes after that
 * goes to `abandon`.
 */
export function withDeadline<T>(
  work: (deadline: Deadline) => Promise<T>,
  seconds: number,
  abandon: (late: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    let isLate = false;
    const give = () => {
      isLate = true;
      reject(new DeadlineError(`No answer within ${seconds} s.`));
    };
    const pause = () => clearTimeout(timer);
    const restart = () => {
      pause();
      if (!over) timer = setTimeout(give, seconds * 1000);
    };
    const end = () => {
      over = true;
      pause();
    };
    restart();
    work({ pause, restart }).then(
      (value) => {
        end();
        if (isLate) abandon(value);
        else resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
