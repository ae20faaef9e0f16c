import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** Replaces the `scrypt` that this process's code imports from `node:crypto`. Returns the one before. */
export function replaceScrypt(replacement: typeof crypto.scrypt): typeof crypto.scrypt {
  const before = crypto.scrypt;
  crypto.scrypt = replacement;
  syncBuiltinESMExports();
  return before;
}
