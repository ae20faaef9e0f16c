import type { SourceChange } from "../bundle-programs.js";

/** Checkpoints come after some 32 pages instead of 4,000, so that there are many. */
export const smallLog: SourceChange = {
  file: /store-sqlite\/src\/database\/connection\.ts$/,
  from: "wal_autocheckpoint = 4000",
  to: "wal_autocheckpoint = 32",
};
