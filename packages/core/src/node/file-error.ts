import { StoreUnavailableError } from "../ports/store-unavailable-error.js";

/** The disk is full, failing or read-only, or there are too many files open: none is a bug. */
const unavailable = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES|EPERM|EMFILE|ENFILE|ESTALE|ENOTCONN)$/;

/** Does what touches files; what may pass by itself rejects with `StoreUnavailableError`. */
export async function unlessUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (!unavailable.test(code)) throw cause;
    throw new StoreUnavailableError(`Images can't be kept or read now: ${message}`, { cause });
  }
}
