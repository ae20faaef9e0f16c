import { reasonOf } from "./reason-of.js";

/** Creates the error for a failed storage of readings or of the secret. */
export const toStorageError = (what: string, fault: unknown) => ({
  code: "storage" as const,
  message: `${what} failed: ${reasonOf(fault)}`,
});
