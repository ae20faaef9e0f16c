/**
 * Characters that can disguise text: control characters such as ESC and newlines, line and paragraph separators,
 * bidirectional overrides and marks, and lone surrogates.
 */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u;
const each = new RegExp(unsafe, "gu");
const eachButNewline = new RegExp(`(?!\n)${unsafe.source}`, "gu");

const toEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Returns whether text contains a character that is unsafe in a mail, on a terminal or in a log. */
export const isUnsafeText = (text: string): boolean => unsafe.test(text);

/** Makes foreign text safe for one line of a mail, a terminal or a log. ESC, for example, becomes `\u001b`. */
export const toSafeLine = (text: string): string => text.replaceAll(each, toEscape);

/** Makes foreign text safe and keeps its newlines. */
export const toSafeLines = (text: string): string => text.replaceAll(eachButNewline, toEscape);
