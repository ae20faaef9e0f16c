import type { SourceChange } from "../../../scripts/bundle-programs.js";

/** Checkpoints after about 32 pages instead of 4,000, so that there are many. */
export const smallLog: SourceChange = {
  name: "checkpoints after 32 pages",
  file: /store-sqlite\/src\/database\/connection\.ts$/,
  from: "wal_autocheckpoint = 4000",
  to: "wal_autocheckpoint = 32",
};
