import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";

/**
 * The disk is full, failing, read-only, not permitted or disconnected, the folder is gone, or too many files are open.
 * None of these is a bug.
 */
const unavailable =
  /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES|EPERM|EMFILE|ENFILE|ESTALE|ENOTCONN|ENOENT|ENOTDIR)$/;

/** Runs work on files. Rejects with `StoreUnavailableError` if the cause is the disk and not the program. */
export async function asStoreError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (!unavailable.test(code)) throw cause;
    throw new StoreUnavailableError(
      `Images cannot be stored or read now. Check the disk and its permissions: ${message}`,
      { cause },
    );
  }
}
