import { reasonOf } from "./reason-of.js";

/** The reason why the server cannot start. The message is for people and says what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Creates a StartError that says why something cannot be used and what to do about it. */
export const toStartError = (what: string, error: unknown, advice: string): StartError =>
  new StartError(`${what} cannot be used: ${reasonOf(error)}. ${advice}`, { cause: error });
