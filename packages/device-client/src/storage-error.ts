import { reasonOf } from "./reason-of.js";

/** That what keeps a device's readings or its secret failed. */
export const toStorageError = (what: string, fault: unknown) => ({
  code: "storage" as const,
  message: `${what} failed: ${reasonOf(fault)}`,
});
