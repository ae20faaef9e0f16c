import { dictionary } from "@zxcvbn-ts/language-common";

let common: ReadonlySet<string> | undefined;

const digitsAtTheEnd = /[^\p{L}]+$/u;
const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/**
 * Returns whether a password is one of the most common ones, or consists of a word that belongs to the account, such as
 * its address. Letter case, and digits and signs at the end, make no difference.
 */
export function isCommonPassword(password: string, ownWords: readonly string[] = []): boolean {
  common ??= new Set(dictionary["passwords-common"]);
  const lower = password.toLowerCase();
  const own = new Set([...ownWords, "device gateway"].map(plain));
  return [lower, lower.replace(digitsAtTheEnd, "")].some(
    (word) => word === "" || common?.has(word) || own.has(plain(word)),
  );
}
