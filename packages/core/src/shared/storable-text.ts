const unstorable = /[\0\p{Cs}]/gu;

/**
 * Cuts a text to `length` characters and replaces U+0000 and lone surrogates with U+FFFD, because some databases
 * cannot store them. Apply it to all free text of requests.
 */
export const toStorableText = (text: string, length = text.length): string =>
  text.slice(0, length).replaceAll(unstorable, "\uFFFD");
