import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

const { scrypt } = crypto;

function replaceScrypt(replacement: typeof scrypt): void {
  crypto.scrypt = replacement;
  syncBuiltinESMExports();
}

/**
 * Runs the tests of the calling file with scrypt at its lowest cost, for passwords and claim codes. At production cost,
 * a file that signs users in spends most of its time in scrypt.
 */
export function useCheapScrypt(): void {
  beforeAll(() => {
    replaceScrypt(((password, salt, length, _, done) =>
      scrypt(password, salt, length, { N: 16 }, done as never)) as typeof scrypt);
  });
  afterAll(() => replaceScrypt(scrypt));
}
