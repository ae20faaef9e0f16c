import { UnwantedWorkError } from "../shared/unwanted-work-error.js";

/** Thrown if a response takes too long. The work may still complete. */
export class DeadlineError extends UnwantedWorkError {
  override readonly name = "DeadlineError";
}

/** The time limit of a response. It can be paused while a body is read, and started again from zero. */
export interface Deadline {
  pause(): void;
  restart(): void;
  /** @throws {DeadlineError} if the time is over: nobody waits for the rest of the work. */
  check(): void;
}

/**
 * Settles as `work` does, or rejects with a `DeadlineError` after a number of seconds. A result that comes later is
 * passed to `abandon`.
 */
export function withDeadline<T>(
  work: (deadline: Deadline) => Promise<T>,
  seconds: number,
  abandon: (late: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isSettled = false;
    let isLate = false;
    const late = () => new DeadlineError(`No response within ${seconds} s.`);
    const expire = () => {
      isLate = true;
      reject(late());
    };
    const pause = () => clearTimeout(timer);
    const restart = () => {
      pause();
      if (!isSettled) timer = setTimeout(expire, seconds * 1000);
    };
    const check = () => {
      if (isLate) throw late();
    };
    const end = () => {
      isSettled = true;
      pause();
    };
    restart();
    work({ pause, restart, check }).then(
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
