/** Why the server can't start, in a sentence for a person that says what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Why something can't be used, and what to do about it. */
export const toStartError = (what: string, error: unknown, advice: string): StartError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(`${what} can't be used: ${reason.replace(/\.$/, "")}. ${advice}`, {
    cause: error,
  });
};
