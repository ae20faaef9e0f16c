import { spawnSync } from "node:child_process";

const required = Boolean(process.env["CI"]);

/**
 * Returns whether a program is missing, so that the tests that need it are skipped. False on CI, where they fail instead.
 * @param words arguments with which the program only shows its version.
 * @example
 * test.skipIf(isMissing("python3", "--version"))("…", async () => {});
 */
export const isMissing = (program: string, ...words: readonly string[]): boolean =>
  !required && spawnSync(program, words).status !== 0;
