/**
 * Characters that make text look like something else: controls (ESC and newlines among them), line and paragraph
 * separators, bidirectional overrides and marks, and halves of surrogate pairs.
 */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u;
const each = new RegExp(unsafe, "gu");
const eachButNewline = new RegExp(`(?!\n)${unsafe.source}`, "gu");

const toEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Reports whether text holds a character that may not go to a mail, a terminal or a log as it is. */
export const isUnsafeText = (text: string): boolean => unsafe.test(text);

/** Makes text of unknown origin safe for one line of a mail, a terminal or a log: `\u001b` stands for ESC. */
export const toSafeLine = (text: string): string => text.replaceAll(each, toEscape);

/** The same for text whose own newlines count. */
export const toSafeLines = (text: string): string => text.replaceAll(eachButNewline, toEscape);
