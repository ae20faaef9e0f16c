import { scrypt } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { replaceScrypt } from "./replace-scrypt.js";

const original = scrypt;

/**
 * Runs the tests of the calling file with scrypt at its lowest cost, for passwords and claim codes. At production cost,
 * a file that signs users in spends most of its time in scrypt.
 */
export function useCheapScrypt(): void {
  beforeAll(() => {
    replaceScrypt(((password, salt, length, _, done) =>
      original(password, salt, length, { N: 16 }, done as never)) as typeof scrypt);
  });
  afterAll(() => replaceScrypt(original));
}
