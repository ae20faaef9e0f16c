import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

const { scrypt } = crypto;

function replaceScrypt(replacement: typeof scrypt): void {
  crypto.scrypt = replacement;
  syncBuiltinESMExports();
}

/**
 * Runs this file's tests with scrypt at its lowest cost, for passwords and claim codes, because no test of the file
 * measures it. At production cost, a file that signs users in spends most of its time there.
 */
export function useCheapScrypt(): void {
  beforeAll(() => {
    replaceScrypt(((password, salt, length, _, done) =>
      scrypt(password, salt, length, { N: 16 }, done as never)) as typeof scrypt);
  });
  afterAll(() => replaceScrypt(scrypt));
}
