/** Text two columns further in, empty lines left empty. */
export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
