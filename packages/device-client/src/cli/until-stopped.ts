/**
 * Waits until the process is asked to end: SIGINT, SIGTERM or, `withInput`, the end of its standard input. Signals
 * after the first one end the process at once.
 */
export function untilStopped({ withInput }: { readonly withInput: boolean }): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off("SIGINT", stop).off("SIGTERM", stop);
      process.stdin.off("end", stop).off("close", stop).pause();
      resolve();
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    if (withInput) process.stdin.on("end", stop).on("close", stop).resume();
  });
}
