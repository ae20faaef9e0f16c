const unstorable = /[\0\p{Cs}]/gu;

/**
 * Cuts text, and puts U+FFFD in place of what JSON can say and some databases can't hold: U+0000 and
 * halves of surrogate pairs. What comes over the wire as free text goes through here.
 */
export const toStorableText = (text: string, length = text.length): string =>
  text.slice(0, length).replaceAll(unstorable, "\uFFFD");
