/** Indents text by two columns. Empty lines stay empty. */
export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
